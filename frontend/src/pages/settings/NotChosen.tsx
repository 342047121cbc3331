import { ServerCommand } from "../../components/controls/ServerCommand";

interface Props {
  noun: "schedule" | "webhook";
  /** Which one the address names. */
  id: string | undefined;
  /** Undefined: they are not known yet. */
  items: readonly { id: number }[] | undefined;
  /** Lists them in a terminal. */
  command: string;
}

/** Where one of the list would be shown: how to have the list in a terminal, and that the one asked for is not in it. */
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
