/** Named views of the job list: each is an address. Pure. */
import type { JobsSearch } from "./search";
import { jobsSearch, listSearch, parseSearch, stringifySearch } from "./search";
import { shellQuote } from "../shell";

export interface View {
  name: string;
  /** The query of its URL, "" for all jobs. */
  query: string;
}

/** The default views. */
export function usualViews(user: string | undefined): View[] {
  const searches: [string, JobsSearch][] = [
    ["All", {}],
    ["Running", { state: "running" }],
    ["Waiting", { state: "queued" }],
    ["Failed", { state: "failed" }],
    ["Fastest", { state: "succeeded", kind: "benchmark", sort: "-busbw" }],
    ["Training", { kind: "training" }],
    ...(user ? [["Mine", { user }] as [string, JobsSearch]] : []),
  ];
  return searches.map(([name, search]) => ({ name, query: queryOf(search) }));
}

/** The address of the shown list, without the chosen jobs. */
export function queryOf(search: JobsSearch): string {
  const entries = Object.entries(listSearch(search));
  return stringifySearch(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

const FLAGS: Readonly<Record<string, string>> = { q: "search" };

/** The same list as a command. */
export function jobsCommand(search: JobsSearch): string {
  const flags = Object.entries(listSearch(search)).flatMap(([name, value]) => [`--${FLAGS[name] ?? name}`, shellQuote(String(value))]);
  return ["ringscope jobs", ...flags].join(" ");
}

/** The list that a view shows. */
export function searchOf({ query }: View): JobsSearch {
  return jobsSearch(parseSearch(query));
}

/** With one more view; a view of the same name is replaced. */
export function withView(views: readonly View[], view: View): View[] {
  return [...views.filter(({ name }) => name !== view.name), view];
}
