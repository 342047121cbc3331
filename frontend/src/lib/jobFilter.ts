/** Which jobs a list shows, as the server filters it, and what of a job is compared in it. Pure. */
import type { JobState, JobView } from "../api/types";

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

/** The sort that a column's heading leads to: the most first, then the least, then as it was. */
export function nextSort(current: Sort | undefined, column: SortColumn): Sort | undefined {
  if (column === "id") return current === "id" ? undefined : "id";
  const [first, second]: [Sort, Sort] = column === "name" ? ["name", "-name"] : [`-${column}`, column];
  return current === first ? second : current === second ? undefined : first;
}
