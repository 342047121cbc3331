import { Link } from "@tanstack/react-router";
import { atServer } from "../../lib/command";
import { Command } from "./Command";
import classes from "./ServerCommand.module.css";
import { useProgram } from "../hooks/useProgram";
import { useRole } from "../hooks/useRole";
import { site } from "../../api/site";

/** Commands to copy that ask the server of this page, whichever server the terminal would ask by default. */
export function ServerCommand({ text }: { text: string | readonly string[] }) {
  const program = useProgram();
  const { isAdmin } = useRole();
  const commands = [text].flat().map((command) => atServer(command, site(), program));
  return (
    <div className={classes.command}>
      <Command text={commands.join(" && ")} />
      {program === null && (
        <p className="dim">
          Needs <code>ringscope</code> and <code>RINGSCOPE_TOKEN</code>:{" "}
          {isAdmin ? <Link to="/settings/tokens">make a token</Link> : "an administrator makes a token"}.
        </p>
      )}
    </div>
  );
}
