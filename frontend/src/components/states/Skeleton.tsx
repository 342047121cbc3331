import type { CSSProperties } from "react";
import classes from "./Skeleton.module.css";

interface Props {
  /** As high as so many rows of a table, so that nothing jumps when the content comes. */
  rows: number;
  /** Inside of a card that is there already. */
  isBare?: boolean;
}

/** What stands in for content that is on its way, from 200 ms on. */
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
 * The same for a whole page: its head, its facts, its largest part. Who hears a page is told at once which one it is.
 * With `isDue` the 200 ms are over already.
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
