import classes from "./Command.module.css";
import { CopyButton } from "./CopyButton";

/** A command to run in a terminal, with a button that copies it; lines break between words, not inside a flag. */
export function Command({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <div className={classes.command}>
      <pre>
        {text.split(/(\s+)/).map((part, index) => (part.trim() ? <span key={index}>{part}</span> : part))}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
