import { Command } from "../controls/Command";
import { ServerCommand } from "../controls/ServerCommand";
import classes from "./SameRequest.module.css";

export interface Request {
  command: string;
  /** Undefined: the command alone does it. */
  curl?: string | undefined;
}

/** Commands that do the same as the page: for a terminal, and with curl. */
export function SameRequest({ command, curl }: Request) {
  return (
    <>
      <div className={classes.same}>
        <p className="dim">The same in a terminal</p>
        <ServerCommand text={command} />
      </div>
      {curl !== undefined && (
        <details className={classes.curl}>
          <summary className="dim">The same with curl</summary>
          <Command text={curl} />
        </details>
      )}
    </>
  );
}
