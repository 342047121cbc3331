import classes from "./ProgressBar.module.css";

interface Props {
  done: number;
  /** null: not known yet. */
  total: number | null;
  /** What is counted, for screen readers. */
  label: string;
}

/** How much of the total is done. */
export function ProgressBar({ done, total, label }: Props) {
  return (
    <div
      className={classes.track}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      {...(total !== null && { "aria-valuemax": total, "aria-valuenow": done })}
    >
      <div className={classes.bar} style={{ width: `${total ? (100 * done) / total : 0}%` }} />
    </div>
  );
}
