/** The types of a form's table of fields, and of the problems of its fields. */

type Amount = "number" | "whole number" | "size";
/** How text is read. Empty optional text is null; text that is no number is sent as it is, for the server to refuse. */
export type Reading = "text" | "optional text" | Amount | `optional ${Amount}` | "flag" | "names" | "labels" | "sizes by name" | "model" | "lines" | "variables" | "JSON";

export interface FormField {
  /** Its pointer from the specification's root, as in the server's problems: "/training/epochs". */
  pointer: string;
  /** Its label on the page. */
  label: string;
  reads: Reading;
  /** Whether it is empty at first and must be filled. */
  isRequired?: true;
}

/** In the order of the page: the first field with a problem is focused. */
export type FieldTable<F extends string> = Readonly<Record<F, FormField>>;
export type Form<F extends string> = Record<F, string>;
/** Sentences by field; of one argument of a model by "model_arguments.heads". */
export type Problems = Record<string, string>;
