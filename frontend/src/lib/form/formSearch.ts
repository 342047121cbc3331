/** The forms of all kinds of jobs in a URL. */
import type { Engine } from "../../api/types";
import { type JobForm, STANDARD, withCollective } from "./form";
import { SCRIPT_FIELDS } from "./scriptForm";
import { SEARCH_FIELDS } from "./searchForm";
import type { Form } from "./types";
import { TRAINING_FIELDS } from "./trainingForm";

export const KINDS = ["benchmark", "training", "strategy_search", "script"] as const;
export type Kind = (typeof KINDS)[number];

/** The fields of any of the forms, as text. `kind` is left out for a benchmark. */
export type FormSearch = Record<string, string> & { from?: string; kind?: string };

/** Fields that stay out of the URL, which browsers and proxies keep: the values of variables may be secrets. */
const NOT_IN_URL: ReadonlySet<string> = new Set(["env"]);
const SEARCHABLE: ReadonlySet<string> = new Set([
  "from", "kind", ...Object.keys(STANDARD), ...Object.keys(TRAINING_FIELDS), ...Object.keys(SCRIPT_FIELDS), ...Object.keys(SEARCH_FIELDS),
].filter((field) => !NOT_IN_URL.has(field)));
/** The fields of every kind of job. */
const SHARED = ["name", "ranks", "limit", "priority"];

/** The form fields in a URL; others are dropped. */
export function formSearch(search: Record<string, unknown>): FormSearch {
  const entries = Object.entries(search).filter(([key, value]) => SEARCHABLE.has(key) && typeof value === "string");
  return Object.fromEntries(entries) as FormSearch;
}

/** The kind of job that a URL asks for. */
export function kindOf({ kind }: FormSearch): Kind {
  return KINDS.find((known) => known === kind) ?? "benchmark";
}

/** The URL of the same form for another kind: fields that all kinds have stay. */
export function withKind(search: FormSearch, kind: Kind): FormSearch {
  const kept = Object.entries(search).filter(([key]) => SHARED.includes(key));
  return Object.fromEntries([...(kind === "benchmark" ? [] : [["kind", kind]]), ...kept]) as FormSearch;
}

/** `base` with the values of a URL. */
export function withChanges<F extends Form<string>>(base: F, search: FormSearch): F {
  return { ...base, ...Object.fromEntries(Object.entries(search).filter(([key]) => Object.hasOwn(base, key))) };
}

/**
 * The number of ranks of a new sweep if the URL does not say: the number of slots, up to four. Between two ranks
 * most algorithms send the same messages, so there is nothing to compare.
 */
export function usualRanks(slots: number | undefined): string {
  return String(Math.min(4, Math.max(Number(STANDARD.ranks), slots ?? 0)));
}

/** The form of a sweep as a URL opens it; without algorithms in the URL, the collective's default ones. */
export function opened(start: JobForm, search: FormSearch, engine: Engine): JobForm {
  const form = withChanges(start, search);
  const fitting = withCollective({ ...form, collective: start.collective }, form.collective, engine);
  return search.algorithms === undefined ? fitting : { ...fitting, algorithms: form.algorithms };
}

/** The fields that differ from `base`, which the URL must contain; `always` are fields that it contains anyway. */
export function formChanges<F extends Form<string>>(form: F, base: F, always: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(Object.entries(form).filter(([key, value]) => !NOT_IN_URL.has(key) && (base[key] !== value || always.includes(key))));
}

/** The same text for the same URL, whatever the order of its fields. */
export function searchText(search: FormSearch): string {
  return JSON.stringify(Object.entries(formSearch(search)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A form, and which of its changes the URL already has. */
export interface Followed<F> {
  form: F;
  /** The URL's last values, as `searchText` gives them. */
  at: string;
  /** What the form itself has written since, and the URL does not contain yet, oldest first. */
  written: readonly string[];
  /** How often it was opened. */
  opening: number;
}

/** The form after a change of the URL: its own changes leave it as it is, any other change reopens it. */
export function followed<F>(state: Followed<F>, at: string, open: () => F): Followed<F> {
  const place = state.written.indexOf(at);
  if (place < 0) return { form: open(), at, written: [], opening: state.opening + 1 };
  return { ...state, at, written: state.written.slice(place + 1) };
}
