/** A form as a table: the pointer of each field in the specification, and how its text becomes a value. */
import type { FieldProblem } from "../../api/client";
import type { JobSpec } from "../../api/types";
import { type Model, modelText } from "../model";
import { formWords } from "./fieldWords";
import { ownModel } from "./ownModel";
import { labelsFrom, labelsText } from "../labels";
import { formatSize, parseSize } from "../size";
import { type Variables, variablesFrom, variablesText } from "./variables";

import type { Form, FormField, Problems, Reading, FieldTable } from "./types";

export type { Form, Problems, Reading, FieldTable } from "./types";

type Tree = Record<string, unknown>;

/** The specification of the form; fields that it does not show come from `base`. */
export function formToSpec<F extends string>(table: FieldTable<F>, form: Form<F>, base: JobSpec): JobSpec {
  const spec = structuredClone(base) as unknown as Tree;
  for (const [field, { pointer, reads }] of fieldsOf(table)) {
    const path = pointer.slice(1).split("/");
    const last = path.pop() ?? "";
    const parent = path.reduce((tree, key) => (tree[key] ??= {}) as Tree, spec);
    parent[last] = read(form[field], reads, parent[last]);
  }
  return spec as unknown as JobSpec;
}

/** The form that would submit this specification. */
export function specToForm<F extends string>(table: FieldTable<F>, spec: JobSpec): Form<F> {
  const entries = fieldsOf(table).map(([field, { pointer, reads }]) => [field, write(valueAt(spec, pointer), reads)]);
  return Object.fromEntries(entries) as Form<F>;
}

/** The value that a JSON pointer names; undefined if there is none. */
export function valueAt(spec: unknown, pointer: string): unknown {
  return pointer.slice(1).split("/").reduce<unknown>((tree, key) => (tree as Tree | null | undefined)?.[key], spec);
}

/** The server's sentences by field, in the form's words; `other` are those that belong to no field of the form. */
export function problemsAt<F extends string>(table: FieldTable<F>, found: readonly FieldProblem[]): { fields: Problems; other: string[] } {
  const fields: Problems = {};
  const other: string[] = [];
  for (const { pointer, detail: sentence } of found) {
    const detail = formWords(table, sentence);
    const field = fieldsOf(table).find(([, other]) => pointer === other.pointer || pointer.startsWith(`${other.pointer}/`));
    if (!field) {
      if (!other.includes(detail)) other.push(detail);
      continue;
    }
    const rest = field[1].reads === "sizes by name" ? pointer.slice(field[1].pointer.length).replace("/", ".") : "";
    const key = `${field[0]}${rest}`;
    const before = fields[key];
    fields[key] = before && before !== detail ? `${before} ${detail}` : detail;
  }
  return { fields, other };
}

/** "heads=4,width=128" as an object; a value that is no number stays text. */
export function argumentsOf(text: string): Record<string, number | string> {
  const pairs = text.split(",").filter(Boolean).map((item) => item.split("="));
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, numberOr(value)]));
}

/** The text with one of its values set, or removed if that is empty. */
export function withArgument(text: string, name: string, value: string): string {
  const others = Object.entries(argumentsOf(text)).filter(([key]) => key !== name);
  return argumentsText(Object.fromEntries(value.trim() === "" ? others : [...others, [name, value]]));
}

function argumentsText(values: Record<string, unknown>): string {
  return Object.entries(values).map(([name, value]) => `${name}=${String(value)}`).join(",");
}

function fieldsOf<F extends string>(table: FieldTable<F>): [F, FormField][] {
  return Object.entries(table) as [F, FormField][];
}

/** `before` is the value that was there. */
function read(text: string, reads: Reading, before: unknown): unknown {
  const isEmpty = text.trim() === "";
  switch (reads) {
    case "text": return text;
    case "optional text": return isEmpty ? null : text;
    case "number":
    case "whole number": return numberOr(text);
    case "optional number":
    case "optional whole number": return isEmpty ? null : numberOr(text);
    case "size": return parseSize(text) ?? text;
    case "optional size": return isEmpty ? null : (parseSize(text) ?? text);
    case "flag": return text === "on";
    case "sizes by name": return argumentsOf(text);
    case "model": return ownModel(text) ?? text;
    case "names": return text.split(",").filter(Boolean);
    case "labels": return labelsFrom(text, (before ?? {}) as Record<string, string>);
    case "variables": return variablesFrom(text, before as Variables | undefined);
    case "lines": return text.split("\n").filter((line) => line !== "");
    case "JSON": return JSON.parse(text);
  }
}

function write(value: unknown, reads: Reading): string {
  if (value === null || value === undefined) return "";
  switch (reads) {
    case "size":
    case "optional size": return formatSize(value as number, true);
    case "flag": return value === true ? "on" : "off";
    case "sizes by name": return argumentsText(value as Record<string, unknown>);
    case "model": return modelText(value as Model);
    case "names": return (value as string[]).join(",");
    case "labels": return labelsText(value as Record<string, string>);
    case "variables": return variablesText(value as Variables);
    case "lines": return (value as string[]).join("\n");
    case "JSON": return JSON.stringify(value, null, 2);
    default: return String(value as string | number);
  }
}

function numberOr(text: string): number | string {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
