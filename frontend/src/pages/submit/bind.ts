/** How an input of the form is tied to its field. */
import type { Field } from "../../lib/form";

/** What an input gets to show a field and its problem. */
export type Bind = (field: Field) => {
  name: Field;
  error: string | undefined;
  value: string;
  onChange: (event: { currentTarget: { value: string } }) => void;
};

/** The options of a select; a value from the URL that is none of them stays visible, for the server to refuse. */
export function choices(names: readonly string[], value: string): string[] {
  return names.includes(value) ? [...names] : [...names, value];
}
