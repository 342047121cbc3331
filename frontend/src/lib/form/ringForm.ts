/** The ring page's form: text in the URL, and the question that the server answers. */
import type { ExampleQuestion } from "../../api/types";
import { formWords } from "./fieldWords";
import { type PlaySearch, playSearch } from "../search/playSearch";
import { shellQuote } from "../shell";
import { parseSize } from "../size";

export type RingForm = {
  collective: string;
  algorithm: string;
  /** A row of numbers for each rank, "2,4,6;1,2,3"; empty: rank r holds one number for each rank, all r+1. */
  values: string;
  /** Ranks or a shape such as 2x4; empty: as many ranks as rows of values. */
  n: string;
  root: string;
  /** The size that each number stands for in the times. */
  each: string;
};

export type RingField = keyof RingForm;

/** The default example: three ranks, whose sums are 7, 14 and 21. */
export const READY: RingForm = {
  collective: "all_reduce",
  algorithm: "ring",
  values: "2,4,6;1,2,3;4,8,12",
  n: "",
  root: "0",
  each: "1MiB",
};

export type RingSearch = Partial<RingForm> & PlaySearch;

export function ringSearch(search: Record<string, unknown>): RingSearch {
  const fields = Object.entries(search).flatMap(([key, value]): [string, string][] => {
    if (!Object.hasOwn(READY, key) || (typeof value !== "string" && typeof value !== "number")) return [];
    const text = String(value);
    return text === READY[key as RingField] ? [] : [[key, text]];
  });
  return { ...Object.fromEntries(fields), ...playSearch(search) };
}

/** The fields, with the default example for those that the URL lacks. */
export function ringForm(search: RingSearch): RingForm {
  const said = Object.entries(search).filter(([key]) => Object.hasOwn(READY, key));
  // A URL with a number of ranks does not mean the default example's three rows.
  const values = search.n !== undefined && search.values === undefined ? { values: "" } : {};
  return { ...READY, ...values, ...Object.fromEntries(said) };
}

/** "2,4,6;1,2,3" as rows; text that is no number stays, for the server to refuse. */
export function rowsOf(text: string): (number | string)[][] {
  if (text.trim() === "") return [];
  return text.split(";").map((row) => row.split(",").map((word) => (word.trim() !== "" && Number.isFinite(Number(word)) ? Number(word) : word)));
}

export function exampleQuestion(form: RingForm): ExampleQuestion {
  const question = {
    collective: form.collective,
    algorithm: form.algorithm,
    values: rowsOf(form.values),
    shape: form.n.trim() === "" ? null : form.n,
    root: form.root.trim() !== "" && Number.isFinite(Number(form.root)) ? Number(form.root) : form.root,
    element_bytes: parseSize(form.each) ?? form.each,
  };
  return question as ExampleQuestion;
}

const POINTERS: Record<string, RingField> = {
  collective: "collective",
  algorithm: "algorithm",
  values: "values",
  shape: "n",
  root: "root",
  element_bytes: "each",
};

/** The server's sentences by field. */
export function ringProblems(problems: readonly { pointer: string; detail: string }[]): Partial<Record<RingField, string>> {
  const found: Partial<Record<RingField, string>> = {};
  for (const { pointer, detail } of problems) {
    const field = POINTERS[pointer.split("/")[1] ?? ""];
    if (field) found[field] ??= formWords({}, detail);
  }
  return found;
}

/** The same steps as a command, in the one channel that the page follows. */
export function traceCommand(form: RingForm): string {
  const rows = rowsOf(form.values).length;
  const words = [
    "ringscope", "trace", form.algorithm,
    ...(form.collective === "all_reduce" ? [] : ["--collective", form.collective]),
    ...(form.n.includes("x") ? ["--topology", form.n, "--channels", "1"] : form.n || rows ? ["--ranks", form.n || String(rows)] : []),
    ...(form.root === "0" ? [] : ["--root", form.root]),
    ...(form.values ? ["--values", form.values] : []),
  ];
  return words.map(shellQuote).join(" ");
}
