/**
 * The keys of the query cache: the subject, which one of them, which part of it, and last what narrows it.
 * A key stands for all keys that begin with it: invalidating a job's key also invalidates its parts.
 */

/** The parts of a job that are loaded separately. */
export type JobPart =
  | "activity" | "events" | "environments" | "insights" | "newest steps" | "log"
  | "measurements" | "verdict" | "judgement" | "prediction" | "latencies" | "lateness"
  | "trace" | "traces" | "fit"
  | "epochs" | "newest epochs" | "curve" | "buckets" | "collectives" | "pipeline" | "tensor" | "search" | "search forecast" | "diagnosis";

export function jobKey(id: number, ...part: [] | [JobPart, ...unknown[]]) {
  return ["job", id, ...part] as const;
}

/** The index of the filter in the key of a list of jobs. */
export const FILTER_PLACE = 2;

export function jobsKey(list: "recent" | "active" | "arrived" | "best" | "named" | "list" | "facets", ...narrowed: unknown[]) {
  return ["jobs", list, ...narrowed] as const;
}

export function nodesKey(...part: [] | [name: string, "events" | "gpus" | "history" | "nccl-ras"]) {
  return ["nodes", ...part] as const;
}

export function comparisonKey(of: "sizes" | "standings", ids: readonly number[], base: number, ...narrowed: unknown[]) {
  return ["comparison", of, ids, base, ...narrowed] as const;
}

export const REGRESSIONS_KEY = ["comparison", "regressions"] as const;

/** Keys for a job that is not submitted yet. */
export function draftKey(of: "prediction" | "training prediction" | "search preview" | "check", spec: unknown) {
  return ["draft", of, spec] as const;
}

/** Keys for the cost model. */
export function planKey(of: "prices" | "sensitivity" | "example", question: unknown) {
  return ["plan", of, question] as const;
}

/** The checks of all such jobs: when each would start. */
export const CHECKS_KEY = ["draft", "check"] as const;

/** What the server says about files that were chosen; `at` tells one choice from the next. */
export function explanationKey(at: number) {
  return ["files", "explanation", at] as const;
}

export function settingsKey(noun: "tokens" | "webhooks" | "schedules" | "audit" | "event types" | "monitoring", ...narrowed: unknown[]) {
  return ["settings", noun, ...narrowed] as const;
}
