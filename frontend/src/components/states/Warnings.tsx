import classes from "./Warnings.module.css";

/** The server's warnings, a sentence each; nothing if there are none. */
export function Warnings({ warnings, label = "Warnings" }: { warnings: readonly string[]; label?: string }) {
  if (warnings.length === 0) return null;
  return (
    <ul className={classes.warnings} aria-label={label}>
      {warnings.map((warning) => (
        <li key={warning}>
          <span aria-hidden="true">⚠ </span>
          {warning}
        </li>
      ))}
    </ul>
  );
}
