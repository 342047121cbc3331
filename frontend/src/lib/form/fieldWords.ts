/** What is wrong with a form, in the form's own labels. Pure. */
import { labelsProblem } from "../labels";
import { parseSize } from "../size";
import { variablesProblem } from "./variables";
import type { Form, Problems, Reading, FieldTable } from "./types";

const SIZE = "This is no size; write it as 8, 64K, 16 MiB or 16 MB.";
const OPTIONAL = "optional ";

/** Fields whose text cannot be read, with a sentence each; `hidden` are not on the page. */
export function unreadable<F extends string>(table: FieldTable<F>, form: Form<F>, hidden: readonly string[] = []): Problems {
  const found = Object.entries<FieldTable<F>[F]>(table).flatMap(([field, { reads }]): [string, string][] => {
    const problem = hidden.includes(field) ? null : unreadableText(form[field as F], reads);
    return problem ? [[field, problem]] : [];
  });
  return Object.fromEntries(found);
}

function unreadableText(text: string, reads: Reading): string | null {
  const isEmpty = text.trim() === "";
  const isOptional = reads.startsWith(OPTIONAL);
  if (isEmpty && isOptional) return null;
  switch (reads.replace(OPTIONAL, "")) {
    case "size": return parseSize(text) === null ? SIZE : null;
    case "whole number": return /^\s*-?\d+\s*$/.test(text) ? null : `A whole number is needed${got(text)}.`;
    case "number": return !isEmpty && Number.isFinite(Number(text)) ? null : `A number is needed${got(text)}.`;
    case "labels": return labelsProblem(text);
    case "variables": return variablesProblem(text);
    case "JSON": return noJson(text);
    default: return null;
  }
}

function noJson(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}.`;
  }
}

function got(text: string): string {
  return text.trim() === "" ? "" : `, and this is “${text.trim()}”`;
}

const PLACE = /^[a-z_]+(\.[a-z_]+|\[\d+\])*: /;

/**
 * The server's sentence for a visible field: without the field's name before it, and with the form's labels in place
 * of the API's names.
 */
export function formWords<F extends string>(table: FieldTable<F>, detail: string): string {
  const labels = new Map<string, string>();
  for (const { pointer, label } of Object.values<FieldTable<F>[F]>(table)) {
    const path = pointer.slice(1).split("/");
    labels.set(path.join("."), label);
    labels.set(path.at(-1) ?? "", label);
  }
  const words = detail.replace(PLACE, "").replace(/\b[a-z]+(?:[._][a-z]+)+\b/g, (name) => {
    const label = labels.get(name);
    return label ? `“${label.replace(/ \(.*\)$/, "")}”` : name;
  });
  const isName = /^\w+_/.test(words);
  return isName ? words : words.charAt(0).toUpperCase() + words.slice(1);
}
