/** The URL's query as the pages use it: plain strings, readable in the address bar, nothing for a default. */
import type { JobState } from "../api/types";
import { JOB_STATES } from "./state";

/** "?a=1&b=x" as an object of strings. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** The opposite; undefined and empty values are left out, commas stay readable. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([key, value]) => [key, String(value)]);
  const text = new URLSearchParams(pairs).toString().replaceAll("%2C", ",");
  return text ? `?${text}` : "";
}

export interface JobsSearch {
  state?: JobState;
  q?: string;
}

export function jobsSearch(search: Record<string, unknown>): JobsSearch {
  const { state, q } = search;
  return {
    ...(typeof state === "string" && state in JOB_STATES && { state: state as JobState }),
    ...(typeof q === "string" && q !== "" && { q }),
  };
}

export const METRICS = ["busbw", "algbw", "time"] as const;
export type Metric = (typeof METRICS)[number];

export interface JobSearch {
  /** What the chart shows; busbw when absent. */
  metric?: Exclude<Metric, "busbw">;
  /** Which buffers: out of place when absent. */
  place?: "in" | "both";
  /** The chart as a table. */
  view?: "table";
  /** Whose table is shown; the first of the spec when absent. */
  algorithm?: string;
  /** Text that a log line must contain. */
  log?: string;
}

export function jobSearch(search: Record<string, unknown>): JobSearch {
  const { metric, place, view, algorithm, log } = search;
  return {
    ...((metric === "algbw" || metric === "time") && { metric }),
    ...((place === "in" || place === "both") && { place }),
    ...(view === "table" && { view }),
    ...(typeof algorithm === "string" && algorithm !== "" && { algorithm }),
    ...(typeof log === "string" && log !== "" && { log }),
  };
}
