import type { ReactNode } from "react";
import classes from "./ScrollX.module.css";

interface Props {
  label: string;
  /** Something long that scrolls by itself under its head, instead of making the page longer. */
  isTall?: boolean;
  children: ReactNode;
}

/** Something wide, such as a table on a phone; what scrolls must be reachable by keyboard, and so has a name. */
export function ScrollX({ label, isTall = false, children }: Props) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={`scroll-x ${isTall ? classes.tall : ""}`} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
