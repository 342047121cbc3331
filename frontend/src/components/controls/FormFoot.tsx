import { Button } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { passesFocus } from "../hooks/keepFocus";
import { ErrorNote } from "../states/ErrorNote";
import { buttonsClass } from "./Dialog";
import classes from "./FormFoot.module.css";

interface Props {
  /** What the button does: "Make token". */
  submit: string;
  /** The button's text while the server has not answered. */
  sending?: string;
  isSending?: boolean;
  /** What an error means: "The token was not made". */
  failed?: string;
  error?: Error | null;
  /** The fields to fix. The button can still be pressed, which puts the focus into the first one. */
  wrong?: string | undefined;
  onCancel?: () => void;
  /** What the form will lead to. */
  children?: ReactNode;
  /** Commands that do the same; nothing while the fields do not describe it. */
  same?: ReactNode;
}

/** The end of every form: its error, its buttons, what follows from it, and the same as a command. */
export function FormFoot({ submit, sending = submit, isSending = false, failed, error, wrong, onCancel, children, same }: Props) {
  const wrongId = useId();
  const button = (
    <Button
      ref={passesFocus}
      type="submit"
      variant={wrong ? "default" : "filled"}
      fullWidth={!onCancel}
      aria-busy={isSending}
      aria-describedby={wrong ? wrongId : undefined}
    >
      {isSending ? sending : submit}
    </Button>
  );
  return (
    <div className={classes.foot}>
      <div className={classes.bar}>
        {failed && error && <ErrorNote what={failed} error={error} />}
        {onCancel ? (
          <div className={buttonsClass}>
            <Button ref={passesFocus} onClick={onCancel}>Cancel</Button>
            {button}
          </div>
        ) : (
          button
        )}
        {wrong && (
          <p id={wrongId} className={classes.wrong}>
            {wrong}
          </p>
        )}
      </div>
      {children}
      {same && (
        <details>
          <summary className="dim">The same as a command</summary>
          <div className={classes.same}>{same}</div>
        </details>
      )}
    </div>
  );
}
