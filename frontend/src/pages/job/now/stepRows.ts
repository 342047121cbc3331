/** The table of the newest steps before they come: a module of its own, which every job's page loads. Pure. */
import type { JobView } from "../../../api/types";

/** The most ranks that are reported; the others are faster. */
const MOST_RANKS = 16;

/** Whether the page keeps the last steps of a job that is over: of one that did not succeed they say how far it got. */
export function hasLastSteps({ state, spec, progress }: JobView): boolean {
  return (state === "failed" || state === "cancelled") && progress.done > 0 && (spec.training != null || spec.script != null);
}

/** How many rows the table will have, so that nothing moves when they come. A simulation reports one rank. */
export function expectedRows(job: JobView): number {
  return job.spec.benchmark?.topology ? 1 : Math.min(job.ranks, MOST_RANKS);
}
