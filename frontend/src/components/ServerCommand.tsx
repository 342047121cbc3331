import { atServer } from "../lib/command";
import { Command } from "./Command";

/** Commands to copy that ask the server that shows them, whatever the terminal would ask by itself. */
export function ServerCommand({ text }: { text: string | readonly string[] }) {
  return <Command text={[text].flat().map((command) => atServer(command, window.location.origin)).join(" && ")} />;
}
