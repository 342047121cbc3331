import classes from "./SubmitPage.module.css";

/** What the server warns of, a sentence each; nothing where there is nothing. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul className={classes.warnings} aria-label="Warnings">
      {warnings.map((warning) => (
        <li key={warning}>
          <span aria-hidden="true">⚠ </span>
          {warning}
        </li>
      ))}
    </ul>
  );
}
