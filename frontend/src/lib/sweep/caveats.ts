import type { AlgorithmBest, JobView } from "../../api/types";
import { plural } from "../format";
import { formatSize } from "../size";
import { type Basis, MEASURED, SIMULATED } from "../csv";
import { nonDefault } from "../mode";
import { disturbance, isBenchmark, isForeign, isSimulated } from "../state";

export interface Caveat {
  word: string;
  /** In a sentence. */
  why: string;
}

/**
 * Why a job's measurements may not show what its nodes can do: ranks shared cores, or other processes ran there.
 * A mode that the job asked for is also a caveat, whatever it changed: other jobs have the default one.
 */
export function caveats(job: JobView): Caveat[] {
  const { ranks, cores } = job.summary;
  const lowered = "lowered_max_bytes" in job.summary ? job.summary.lowered_max_bytes : null;
  const disturbedBy = disturbance(job);
  if (!isBenchmark(job) && job.progress.done === 0) return [];
  return [
    ...(lowered == null ? [] : [{ word: `up to ${formatSize(lowered)}`, why: `Sizes above ${formatSize(lowered)} were left out: their buffers do not fit into memory.` }]),
    ...(isForeign(job) ? [{ word: "imported", why: "Another tool measured it. It is not comparable with runs of this cluster until it is adopted." }] : []),
    ...(isBenchmark(job) ? nonDefault(job.spec) : []).map(({ word, asked }) => ({ word, why: `It asked ${asked}. It is not comparable with jobs in the default mode.` })),
    ...(cores != null && cores < ranks
      ? [{ word: `${plural(ranks, "rank")} on ${plural(cores, "core")}`, why: "The ranks shared these cores, which is part of every time." }]
      : []),
    ...(disturbedBy ? [{ word: "disturbed", why: `${disturbedBy} It comes after undisturbed jobs and counts less in baselines.` }] : []),
  ];
}

const PARTIAL: ReadonlySet<string> = new Set(["failed", "cancelled"]);

/** Whether the row of a number is unstable, if that is known. */
export type Stability = Pick<AlgorithmBest, "is_unstable"> | null | undefined;

/** The same for one number of a job, shown without its row: the row's own caveats come first. */
export function numberCaveats(job: JobView, stability: Stability): Caveat[] {
  return [...(stability?.is_unstable ? [{ word: "unstable", why: unstableWords() }] : []), ...caveats(job)];
}

/** The same in a list, which has jobs of every outcome. */
export function listCaveats(job: JobView, stability: Stability): Caveat[] {
  const { summary } = job;
  if (!isBenchmark(job) || summary.kind !== "benchmark") return caveats(job);
  const { wrong } = summary;
  const ended = job.state === "failed" ? "failed" : "was cancelled";
  return [
    ...(wrong > 0 ? [{ word: "wrong", why: `${plural(wrong, "element")} of its results ${wrong === 1 ? "was" : "were"} wrong.` }] : []),
    ...(PARTIAL.has(job.state) && wrong === 0 ? [{ word: job.state, why: `It ${ended}: these are the rows measured until then.` }] : []),
    ...numberCaveats(job, stability),
  ];
}

/** The caveat of a row whose iterations vary much. */
export function unstableWords(cvPercent?: number): string {
  const cv = cvPercent === undefined ? "" : ` (cv ${Math.round(cvPercent)} %)`;
  return `The iterations differ so much that their mean says little${cv}: cv above 20 %, or p99 above 10 times the median.`;
}

/** The basis of a job's numbers, for a file; a row's transport may say that it was simulated. */
export function basisOf(job: JobView, transport?: string): Basis {
  if (isSimulated(job) || transport === "simulated") return SIMULATED;
  return { ...MEASURED, caveats: caveats(job).map(({ word, why }) => `${word}: ${why}`).join(" ") };
}

/** The same of several jobs, by the id of the job. */
export function basesOf(jobs: readonly JobView[]): (id: number) => Basis {
  const bases = new Map(jobs.map((job) => [job.id, basisOf(job)]));
  return (id) => bases.get(id) ?? MEASURED;
}
