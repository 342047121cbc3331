import classes from "./Warnings.module.css";

/** What the server warns of, a sentence each; nothing where there is nothing. */
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
