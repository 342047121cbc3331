import classes from "./Command.module.css";
import { CopyButton } from "./CopyButton";

/** A command to run in a terminal, with a button that copies it. */
export function Command({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <div className={classes.command}>
      {/* Scrollable regions must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label="Command">
        {text}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
