/** The types that a form's table of fields is made of, and what is wrong with its fields. */

type Amount = "number" | "whole number" | "size";
/** How text is read. What is empty and optional is null; text that is no number goes as it is, for the server to refuse. */
export type Reading = "text" | "optional text" | Amount | `optional ${Amount}` | "flag" | "names" | "labels" | "sizes by name" | "lines" | "JSON";

export interface FormField {
  /** From the specification's root, as in the server's problems: "/training/epochs". */
  pointer: string;
  /** What the page calls it. */
  label: string;
  reads: Reading;
}

/** In the order of the page: the first field with a problem is focused. */
export type FieldTable<F extends string> = Readonly<Record<F, FormField>>;
export type Form<F extends string> = Record<F, string>;
/** Sentences by field; of one argument of a model by "model_arguments.heads". */
export type Problems = Record<string, string>;
