/** The one action that a job's page proposes once the job has ended. Pure. */
import type { JobView } from "../api/types";
import type { FormSearch } from "./form/formSearch";
import { disturbance, isBenchmark, isSimulated, isTerminal } from "./state";

export interface NextStep {
  label: string;
  /** The form of the job to submit, in the URL. */
  search: FormSearch;
}

export const RUN_AGAIN = "Run again";
/** Iterations with which a difference of some percent becomes clear. */
const MANY_ITERATIONS = 100;
/** A start that was too slow gets this many times as long. */
const MORE_TIME = 4;
const USUAL_START_SECONDS = 60;

/** What helps most: quiet nodes after a disturbance, iterations where nobody wins, a longer limit after a slow start. */
export function nextStep(job: JobView): NextStep | null {
  if (!isTerminal(job.state)) return null;
  const from = String(job.id);
  const again: NextStep = { label: RUN_AGAIN, search: { from } };
  if (job.state !== "succeeded") {
    const { reason, spec } = job;
    if (reason === "start_timeout") {
      const start = String(MORE_TIME * (spec.start_seconds ?? USUAL_START_SECONDS));
      return { label: "Run again with a longer start limit", search: { from, start } };
    }
    if (reason === "time_limit") {
      return { label: "Run again with a longer limit", search: { from, limit: String(MORE_TIME * spec.time_limit_seconds) } };
    }
    return again;
  }
  if (!isBenchmark(job) || isSimulated(job)) return again;
  const { algorithms, iterations } = job.spec.benchmark;
  if (disturbance(job)) return { label: "Measure again when quiet", search: { from, quiet: "on" } };
  const hasWinner = job.summary.winners.some(({ in_place: inPlace }) => !inPlace);
  if (algorithms.length > 1 && !hasWinner && iterations < MANY_ITERATIONS) {
    return { label: `Measure with ${MANY_ITERATIONS} iterations`, search: { from, iterations: String(MANY_ITERATIONS) } };
  }
  return again;
}
