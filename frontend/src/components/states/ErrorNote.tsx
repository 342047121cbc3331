import { Button } from "@mantine/core";
import classes from "./ErrorNote.module.css";

interface Props {
  /** What failed, as the beginning of a sentence: "The jobs could not be loaded". */
  what: string;
  error: Error;
  /** Whether earlier data is still shown. */
  isStale?: boolean;
  onRetry?: () => void;
}

/** An error in the place of its content, with the server's own sentence and a way to try again. */
export function ErrorNote({ what, error, isStale = false, onRetry }: Props) {
  return (
    <div role="alert" className={classes.note}>
      <p>
        <strong>
          <span aria-hidden="true">✕ </span>
          {what}.
        </strong>{" "}
        {error.message}
        {isStale && " What is shown is from before."}
      </p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
