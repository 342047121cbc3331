import { atServer } from "../../lib/command";
import { CopyButton } from "../controls/CopyButton";
import classes from "./Reference.module.css";
import { useProgram } from "../hooks/useProgram";
import { ROOT, site } from "../../api/site";

interface Props {
  /** The id that every tool uses, such as "42". */
  id: string;
  /** The command for a terminal, for this server. */
  command: string;
  /** Its path in the API, after /api/v1. */
  path: string;
}

/** How to reach the same object with other tools: its id, its command, its curl line, its JSON. */
export function Reference({ id, command, path }: Props) {
  const program = useProgram();
  const url = `${ROOT}/api/v1${path}`;
  const curl = `curl -H "Authorization: Bearer $RINGSCOPE_TOKEN" ${window.location.origin}${url}`;
  return (
    <div className={classes.reference}>
      <code>{command}</code>
      <CopyButton text={atServer(command, site(), program)} label="Copy command" />
      <CopyButton text={id} label="Copy id" />
      <CopyButton text={curl} label="Copy curl" />
      <a href={url}>JSON</a>
    </div>
  );
}
