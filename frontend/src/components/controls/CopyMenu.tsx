import { atServer } from "../../lib/command";
import type { ReactNode } from "react";
import { ROOT, site } from "../../api/site";
import { useProgram } from "../hooks/useProgram";
import { CopyButton, type CopyText } from "./CopyButton";
import { Popover } from "./Popover";

interface Props {
  /** The command for a terminal. */
  command: string;
  /** The command as it is copied; by default with the address of this server. */
  copied?: string;
  /** The path of the shown object in the API, after /api/v1. */
  path?: string;
  /** The same as curl; by default a GET of the path. */
  curl?: string;
  /** More formats of the same object: the name of each and its text. */
  more?: readonly (readonly [name: string, text: CopyText])[];
  /** Formats that are saved as a file. */
  children?: ReactNode;
}

/** Copies the shown object in a form that other tools read, or opens its JSON. */
export function CopyMenu({ command, copied, path, curl, more = [], children }: Props) {
  const program = useProgram();
  const url = `${ROOT}/api/v1${path ?? ""}`;
  return (
    <Popover label="Copy as">
      <code>{command}</code>
      <CopyButton text={copied ?? atServer(command, site(), program)} label="Copy command" />
      <CopyButton text={curl ?? `curl -H "Authorization: Bearer $RINGSCOPE_TOKEN" ${window.location.origin}${url}`} label="Copy curl" />
      <CopyButton text={() => window.location.href} label="Copy link" />
      {more.map(([name, text]) => (
        <CopyButton key={name} text={text} label={`Copy ${name}`} />
      ))}
      {children}
      {path !== undefined && <a href={url}>JSON</a>}
    </Popover>
  );
}
