/**
 * The keys of the query cache: what it is about, which one of them, what of that; last comes what narrows it.
 * A key stands for all that begin with it: who invalidates a job's key invalidates what is known of its parts, too.
 */

/** What is asked for about one job, beside the job itself. */
export type JobPart =
  | "activity" | "events" | "environments" | "insights" | "newest steps" | "log"
  | "measurements" | "prediction" | "latencies" | "lateness"
  | "trace" | "traces" | "fit"
  | "epochs" | "newest epochs" | "curve" | "buckets";

export function jobKey(id: number, ...part: [] | [JobPart, ...unknown[]]) {
  return ["job", id, ...part] as const;
}

/** Where the filter of a list of jobs stands in its key. */
export const FILTER_PLACE = 2;

export function jobsKey(list: "recent" | "active" | "arrived" | "best" | "named" | "list" | "facets", ...narrowed: unknown[]) {
  return ["jobs", list, ...narrowed] as const;
}

export function nodesKey(...part: [] | [name: string, "events"]) {
  return ["nodes", ...part] as const;
}

export function comparisonKey(of: "sizes" | "standings", ids: readonly number[], base: number, ...narrowed: unknown[]) {
  return ["comparison", of, ids, base, ...narrowed] as const;
}

/** Of a job that is not submitted yet. */
export function draftKey(of: "prediction" | "training prediction" | "check", spec: unknown) {
  return ["draft", of, spec] as const;
}

/** Of the cost model. */
export function planKey(of: "prices" | "sensitivity" | "example", question: unknown) {
  return ["plan", of, question] as const;
}

export function settingsKey(noun: "tokens" | "webhooks" | "schedules" | "audit", ...narrowed: unknown[]) {
  return ["settings", noun, ...narrowed] as const;
}
