import { ServerCommand } from "../../components/controls/ServerCommand";

interface Props {
  noun: "schedule" | "webhook";
  /** The number that the address names. */
  id: string | undefined;
  /** Undefined: they are not known yet. */
  items: readonly { id: number }[] | undefined;
  /** The command that lists them. */
  command: string;
}

/** Shown instead of a list's item: the command for the list, and that the requested item is not in it. */
export function NotChosen({ noun, id, items, command }: Props) {
  if (!items || items.some((item) => String(item.id) === id)) return null;
  return (
    <>
      {id !== undefined && (
        <p role="note">
          There is no {noun} {id}: it was removed or never existed.
        </p>
      )}
      {items.length > 0 && <ServerCommand text={command} />}
    </>
  );
}
