/** Cancelling several jobs at a time. */
import { api, ApiError, unwrap } from "../api/client";

/** The job has already ended. */
const ENDED = 409;

/** Cancels each of the jobs; a job that has ended meanwhile is no failure. Throws a sentence for each job not cancelled. */
export async function cancelJobs(ids: readonly number[]): Promise<void> {
  const answers = await Promise.allSettled(ids.map(cancelJob));
  const refusals = answers.flatMap((answer, i) => (answer.status === "rejected" ? [`Job ${ids[i]}: ${wordsOf(answer.reason)}`] : []));
  if (refusals.length > 0) throw new Error(refusals.join(" "));
}

async function cancelJob(id: number): Promise<void> {
  try {
    unwrap(await api.POST("/api/v1/jobs/{job_id}/cancel", { params: { path: { job_id: id } } }));
  } catch (error) {
    if (!(error instanceof ApiError && error.status === ENDED)) throw error;
  }
}

function wordsOf(error: unknown): string {
  return error instanceof ApiError ? error.message : "the server could not be reached.";
}
