/** How live deltas and snapshots are merged in the query cache: by id, never twice, never backwards. */
import type { JobView, NewestSteps } from "../api/types";
import { isActive, isBenchmark, isTerminal } from "../lib/state";

interface Identified {
  id: number;
}

/** Both lists as one, ascending by id; an item of `incoming` replaces the same id in `current`. */
export function mergeById<T extends Identified>(current: readonly T[], incoming: readonly T[]): T[] {
  const last = current[current.length - 1];
  const first = incoming[0];
  if (!first) return [...current];
  if (!last || first.id > last.id) return [...current, ...incoming];
  const byId = new Map(current.map((item) => [item.id, item]));
  for (const item of incoming) byId.set(item.id, item);
  return [...byId.values()].sort((a, b) => a.id - b.id);
}

/**
 * The newer of two views of one job: a final state wins, then more rows, else the incoming one. A judgement is stored once,
 * after the end: a view without it was read before.
 */
export function newerJob(current: JobView | undefined, incoming: JobView): JobView {
  if (!current || current.id !== incoming.id) return incoming;
  if (isTerminal(current.state) && !isTerminal(incoming.state)) return current;
  if (isTerminal(incoming.state)) {
    const { judgement } = current;
    return judgement && !incoming.judgement ? { ...incoming, judgement } : incoming;
  }
  const isRetry = incoming.attempts.length > current.attempts.length;
  // Training that is retried continues from a checkpoint, some steps earlier.
  const mayGoBack = isRetry || !isBenchmark(incoming);
  return !mayGoBack && incoming.progress.done < current.progress.done ? current : incoming;
}

/** The newer of two views of the newest steps: the later attempt, then more steps, else the incoming one. */
export function newerSteps(current: NewestSteps | undefined, incoming: NewestSteps): NewestSteps {
  if (!current || current.job_id !== incoming.job_id) return incoming;
  const [before, now] = [current.attempt_id ?? 0, incoming.attempt_id ?? 0];
  if (before !== now) return before > now ? current : incoming;
  return farthest(current) > farthest(incoming) ? current : incoming;
}

/** With many ranks each message may name others, so the sum over them would mean nothing. */
function farthest({ items }: NewestSteps): number {
  return Math.max(-1, ...items.map((block) => block.last_step));
}

/** Jobs that have a gang, newest first: a job enters with its gang and leaves without it. */
export function withActive(jobs: readonly JobView[], incoming: JobView): JobView[] {
  const others = jobs.filter((job) => job.id !== incoming.id);
  return isActive(incoming.state) ? [...others, incoming].sort((a, b) => b.id - a.id) : others;
}

/** Changed jobs of any age: the latest change comes first. */
export function withChanged(jobs: readonly JobView[], incoming: JobView): JobView[] {
  const before = jobs.find((job) => job.id === incoming.id);
  return [newerJob(before, incoming), ...jobs.filter((job) => job.id !== incoming.id)];
}

/** Puts a job into a list that is newest first: replaced in place, or at the top if it is new. */
export function upsertJob(jobs: readonly JobView[], incoming: JobView): JobView[] {
  const index = jobs.findIndex((job) => job.id === incoming.id);
  if (index >= 0) return jobs.map((job, i) => (i === index ? newerJob(job, incoming) : job));
  const newest = jobs[0];
  return newest && incoming.id < newest.id ? [...jobs] : [incoming, ...jobs];
}
