import type { ReactNode } from "react";
import classes from "./ScrollX.module.css";

interface Props {
  label: string;
  /** Scrolls something long under its head, instead of making the page longer; "page": it may fill the window. */
  isTall?: boolean | "page";
  children: ReactNode;
}

/** Scrolls something wide, such as a table on a phone; it has a name because it must be reachable by keyboard. */
export function ScrollX({ label, isTall = false, children }: Props) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={`scroll-x ${isTall ? classes.tall : ""}`} data-page={isTall === "page" || undefined} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
