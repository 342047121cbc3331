/** The one action that a job's page proposes once the job has ended. Pure. */
import type { BenchmarkJob, JobView } from "../api/types";
import type { FormSearch } from "./form/formSearch";
import { DEEDS } from "./search/keys";
import { disturbance, isBenchmark, isImported, isSimulated, isTerminal } from "./state";

export interface NextStep {
  label: string;
  /** The form of the job to submit, in the URL. */
  search: FormSearch;
}

export const RUN_AGAIN = DEEDS.again;
/** Iterations with which a difference of some percent becomes clear. */
const MANY_ITERATIONS = 100;
/** A limit that was too short is multiplied by this. */
const MORE_TIME = 4;
/** The server accepts no longer limit. */
const MOST_SECONDS = 7 * 86_400;

/** What helps most: quiet nodes after a disturbance, iterations where nobody wins, a longer limit after a slow start. */
export function nextStep(job: JobView): NextStep | null {
  if (!isTerminal(job.state) || isImported(job)) return null;
  const from = String(job.id);
  const again: NextStep = { label: RUN_AGAIN, search: { from } };
  if (job.state !== "succeeded") {
    const { reason, spec } = job;
    const startLimit = job.attempts.at(-1)?.start_limit_seconds ?? spec.start_seconds;
    if (reason === "start_timeout" && startLimit != null && startLimit < MOST_SECONDS) {
      return { label: "Run again with a longer start limit", search: { from, start: longer(startLimit) } };
    }
    if (reason === "time_limit" && spec.time_limit_seconds < MOST_SECONDS) {
      return { label: "Run again with a longer limit", search: { from, limit: longer(spec.time_limit_seconds) } };
    }
    return again;
  }
  if (!isBenchmark(job) || isSimulated(job)) return again;
  const { iterations } = job.spec.benchmark;
  if (disturbance(job)) return { label: "Measure again when quiet", search: { from, quiet: "on" } };
  if (iterations < MANY_ITERATIONS && isUndecided(job)) {
    return { label: `Measure with ${MANY_ITERATIONS} iterations`, search: { from, iterations: String(MANY_ITERATIONS) } };
  }
  return again;
}

/**
 * Whether no algorithm clearly wins out of place at any size, and more iterations could change that: not between algorithms
 * that send the same messages.
 */
function isUndecided({ spec, summary }: BenchmarkJob): boolean {
  if (summary.winners.some(({ in_place: inPlace }) => !inPlace)) return false;
  const tied = summary.results.length > 0 ? summary.results.map(({ algorithms }) => algorithms) : [spec.benchmark.algorithms];
  return tied.some((names) => names.length > 1 && !summary.same_messages.some((same) => names.every((name) => same.includes(name))));
}

function longer(seconds: number): string {
  return String(Math.min(MOST_SECONDS, Math.ceil(MORE_TIME * seconds)));
}
