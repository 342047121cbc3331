/** How an input of a form is bound to its field. */
import { REQUIRED } from "../../components/controls/required";
import type { Form, Problems, FieldTable } from "../../lib/form/types";

/** An input's props for a field and its problem. */
export interface Bound {
  name: string;
  label: string;
  error: string | undefined;
  value: string;
  onChange: (event: { currentTarget: { value: string } }) => void;
  withAsterisk?: true;
  "aria-required"?: true;
}

export type Bind<F extends string> = (field: F) => Bound;

/** Binds inputs to the fields of a form. */
export function binder<F extends string>(
  table: FieldTable<F>,
  form: Form<F>,
  problems: Problems,
  onChange: (field: F, value: string) => void,
): Bind<F> {
  return (field) => ({
    name: field,
    label: table[field].label,
    error: problems[field],
    value: form[field],
    onChange: (event) => onChange(field, event.currentTarget.value),
    ...(table[field].isRequired && REQUIRED),
  });
}

/** The options of a select; an unknown value from the URL stays visible, for the server to refuse. */
export function choices(names: readonly string[], value: string): string[] {
  return names.includes(value) ? [...names] : [...names, value];
}
