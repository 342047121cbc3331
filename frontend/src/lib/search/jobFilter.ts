/** Which jobs a list shows, as the server filters it, and how they are ordered. Pure. */
import type { JobState, JobView, JudgementKind } from "../../api/types";
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
  /** Whether the bandwidth was what was to be expected, by the stored judgement. */
  judgement?: JudgementKind;
  /** A node by name: the job had a rank there. */
  node?: string;
  /** A part of the name or of the note, or the number. */
  q?: string;
}

/** The same as the server's filter, for jobs that arrive while a list is shown. */
export function matches(job: JobView, filter: JobFilter): boolean {
  const { state, kind, collective, algorithm, user, judgement, node, q } = filter;
  return (
    (!state || job.state === state) &&
    (!kind || job.kind === kind) &&
    (!collective || job.spec.benchmark?.collective === collective) &&
    (!algorithm || algorithmsOf(job).includes(algorithm)) &&
    (!user || job.user === user) &&
    (!judgement || job.judgement === judgement) &&
    (!node || job.attempts.some((attempt) => attempt.nodes.includes(node))) &&
    (!q || [job.name, job.note].some((text) => text.toLowerCase().includes(q.toLowerCase())) || String(job.id) === q.replace(/^#/, ""))
  );
}

function algorithmsOf({ spec }: JobView): readonly string[] {
  return spec.benchmark?.algorithms ?? (spec.training ? [spec.training.all_reduce] : []);
}

/** A shown list of jobs. */
export interface ShownList {
  jobs: readonly JobView[];
  filter: JobFilter;
  /** The newest first when absent. */
  sort: Sort | undefined;
  /** Whether the server has more jobs, which come after the shown ones. */
  hasMore: boolean;
}

/**
 * What would be new in a list, and what would leave it, if it were loaded again: the changed jobs that
 * match and would stand among the others, and how many of the others no longer match.
 */
export function newsOf({ jobs, filter, sort = "-id", hasMore }: ShownList, changed: readonly JobView[]) {
  const ids = new Set(jobs.map((job) => job.id));
  const last = jobs.at(-1);
  const isInReach = (job: JobView): boolean => !hasMore || (last !== undefined && isBefore(job, last, sort));
  return {
    entering: changed.filter((job) => !ids.has(job.id) && matches(job, filter) && isInReach(job)),
    // Only its state takes a job out of a list: a judgement is stored once, and the other filtered fields never change.
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

/** The sort to which a click on a column's heading leads: descending, then ascending, then the default. */
export function nextSort(current: Sort | undefined, column: SortColumn): Sort | undefined {
  if (column === "id") return current === "id" ? undefined : "id";
  const [first, second]: [Sort, Sort] = column === "name" ? ["name", "-name"] : [`-${column}`, column];
  return current === first ? second : current === second ? undefined : first;
}
