/** Which jobs a list shows, as the server filters it, and what of a job is compared in it. Pure. */
import type { JobState, JobView } from "../../api/types";
import { heldUp } from "../state";

export const SORTS = ["id", "-id", "name", "-name", "ranks", "-ranks", "busbw", "-busbw"] as const;
export type Sort = (typeof SORTS)[number];
export type SortColumn = "id" | "name" | "ranks" | "busbw";

export interface JobFilter {
  state?: JobState;
  kind?: JobView["kind"];
  collective?: string;
  algorithm?: string;
  user?: string;
  /** By name: it had a rank there. */
  node?: string;
  /** A part of the name, or the number. */
  q?: string;
}

/** The same as the server's filter, for jobs that arrive while a list is shown. */
export function matches(job: JobView, filter: JobFilter): boolean {
  const { state, kind, collective, algorithm, user, node, q } = filter;
  return (
    (!state || job.state === state) &&
    (!kind || job.kind === kind) &&
    (!collective || job.spec.benchmark?.collective === collective) &&
    (!algorithm || algorithmsOf(job).includes(algorithm)) &&
    (!user || job.user === user) &&
    (!node || job.attempts.some((attempt) => attempt.nodes.includes(node))) &&
    (!q || job.name.toLowerCase().includes(q.toLowerCase()) || String(job.id) === q.replace(/^#/, ""))
  );
}

function algorithmsOf({ spec }: JobView): readonly string[] {
  return spec.benchmark?.algorithms ?? (spec.training ? [spec.training.all_reduce] : []);
}

/** A list of jobs as it is shown. */
export interface ShownList {
  jobs: readonly JobView[];
  filter: JobFilter;
  /** The newest first when absent. */
  sort: Sort | undefined;
  /** The server has more of them, which come after those that are shown. */
  hasMore: boolean;
}

/**
 * What a list would be without, and what it would have beside, if it were asked for again: of the jobs that changed
 * those that match and would stand among the others, and how many of the others match no more.
 */
export function newsOf({ jobs, filter, sort = "-id", hasMore }: ShownList, changed: readonly JobView[]) {
  const ids = new Set(jobs.map((job) => job.id));
  const last = jobs.at(-1);
  const isInReach = (job: JobView): boolean => !hasMore || (last !== undefined && isBefore(job, last, sort));
  return {
    entering: changed.filter((job) => !ids.has(job.id) && matches(job, filter) && isInReach(job)),
    // Only its state takes a job out of a list: the rest of what a filter asks for stays as it was.
    leaving: jobs.filter((job) => filter.state && job.state !== filter.state).length,
  };
}

function isBefore(job: JobView, other: JobView, sort: Sort): boolean {
  const column = sort.replace("-", "") as SortColumn;
  const [value, after] = [sortedBy(job, column), sortedBy(other, column)];
  if (value === null || after === null) return value !== null;
  return sort.startsWith("-") ? value > after : value < after;
}

function sortedBy(job: JobView, column: SortColumn): number | string | null {
  if (column !== "busbw") return job[column];
  return heldUp(job)?.busbw_gb_per_s ?? null;
}

/** The sort that a column's heading leads to: the most first, then the least, then as it was. */
export function nextSort(current: Sort | undefined, column: SortColumn): Sort | undefined {
  if (column === "id") return current === "id" ? undefined : "id";
  const [first, second]: [Sort, Sort] = column === "name" ? ["name", "-name"] : [`-${column}`, column];
  return current === first ? second : current === second ? undefined : first;
}
