import classes from "./ProgressBar.module.css";

interface Props {
  done: number;
  total: number;
  /** What is counted, for people who cannot see the bar. */
  label: string;
}

/** Rows done of all rows of a sweep. */
export function ProgressBar({ done, total, label }: Props) {
  return (
    <div
      className={classes.track}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
    >
      <div className={classes.bar} style={{ width: `${total > 0 ? (100 * done) / total : 0}%` }} />
    </div>
  );
}
