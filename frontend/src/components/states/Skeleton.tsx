import type { CSSProperties } from "react";
import classes from "./Skeleton.module.css";

interface Props {
  /** The height in rows of a table, so that nothing moves when the content comes. */
  rows: number;
  /** Inside of a card that already exists. */
  isBare?: boolean;
}

/** A placeholder for content that is loading, from 200 ms on. */
export function Skeleton({ rows, isBare = false }: Props) {
  return (
    <div className={`${isBare ? "" : "card"} ${classes.skeleton}`} style={{ "--rows": rows } as CSSProperties} aria-busy="true">
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  );
}

/**
 * The same for a whole page: its head, its facts, its largest part. Screen readers get the page's title at once.
 * With `isDue` the 200 ms have already passed.
 */
export function PageSkeleton({ title, isDue = false }: { title: string; isDue?: boolean }) {
  return (
    <div className={`page ${isDue ? classes.due : ""}`} aria-busy="true">
      <h1 className="hidden-visually">{title}</h1>
      <Skeleton rows={1} isBare />
      <Skeleton rows={3} />
      <Skeleton rows={12} />
    </div>
  );
}
