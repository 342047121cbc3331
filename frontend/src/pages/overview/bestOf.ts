import type { BenchmarkJob, JobView } from "../../api/types";
import { isBenchmark, isForeign, isSimulated } from "../../lib/state";

/** The job with the best bus bandwidth of those that succeeded since a time; a simulation only if nothing was measured. */
export function bestOf(jobs: readonly JobView[], since: string): BenchmarkJob | null {
  const found = jobs.filter(isBenchmark).filter((job) => !isForeign(job)).filter(({ state, finished_at: end }) => state === "succeeded" && end !== null && Date.parse(end) >= Date.parse(since));
  const measured = found.filter((job) => !isSimulated(job));
  const busbw = (job: BenchmarkJob): number => job.summary.best[0]?.busbw_gb_per_s ?? 0;
  const [best] = [...(measured.length > 0 ? measured : found)].sort((a, b) => busbw(b) - busbw(a));
  return best && busbw(best) > 0 ? best : null;
}
