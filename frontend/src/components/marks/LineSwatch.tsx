import type { Line } from "../../lib/sweep/lines";
import classes from "./Swatch.module.css";

/** A piece of a line as a chart over steps draws it; for a stack, of its area. */
export function LineSwatch({ line, isArea = false }: { line: Line; isArea?: boolean }) {
  const colour = `var(${line.colour})`;
  if (isArea) {
    return (
      <svg className={classes.swatch} width="12" height="12" aria-hidden="true">
        <rect width="12" height="12" rx="2" fill={colour} />
      </svg>
    );
  }
  return (
    <svg className={classes.swatch} width="28" height="8" aria-hidden="true">
      <line x1="0" y1="4" x2="28" y2="4" stroke={colour} strokeWidth="2" strokeDasharray={line.dash?.join(" ")} />
      {line.hasPoints && <circle cx="14" cy="4" r="2.5" fill="var(--surface)" stroke={colour} strokeWidth="1.5" />}
    </svg>
  );
}
