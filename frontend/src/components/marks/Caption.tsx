import type { ReactNode } from "react";
import classes from "./Caption.module.css";

interface Props {
  /** What the picture shows, in at most 30 words. */
  children: ReactNode;
  /** Definitions, sources and limits, which open on request. */
  more?: ReactNode;
}

/** The caption of a picture: one sentence, and the rest on request. */
export function Caption({ children, more }: Props) {
  return (
    <figcaption className={`dim ${classes.caption}`}>
      {children}
      {more && (
        <details>
          <summary>About this picture</summary>
          <p>{more}</p>
        </details>
      )}
    </figcaption>
  );
}
