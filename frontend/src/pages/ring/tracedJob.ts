/** How to get a trace of a job, and how to show it in a terminal. */
import type { BenchmarkSpec, JobView, TracedOperation } from "../../api/types";
import { shellQuote } from "../../lib/shell";
import { isBenchmark, isTerminal } from "../../lib/state";

/** Larger jobs are not traced (ringscope.contracts.traced.MAX_RANKS); a trace asks for no more. */
const MOST_RANKS = 64;
/** Transports whose operations run on the GPU and cannot be traced. */
const NOT_FOLLOWED: readonly string[] = ["nccl", "cuda_ipc"];

/** The same sweep with a trace: its `followable` algorithms and auto; if it has none, the first followable one. */
export function tracedSpec(spec: BenchmarkSpec, followable: readonly string[]): BenchmarkSpec {
  const { benchmark, placement } = spec;
  const kept = benchmark.algorithms.filter((name) => name === "auto" || followable.includes(name));
  const algorithms = kept.length > 0 ? kept : (followable.slice(0, 1) as typeof kept);
  const transport = NOT_FOLLOWED.includes(benchmark.transport) ? "auto" : benchmark.transport;
  return {
    ...spec,
    benchmark: { ...benchmark, algorithms, transport, trace: true },
    placement: { ...placement, ranks: Math.min(placement.ranks, MOST_RANKS) },
  };
}

export interface NoTraceWords {
  title: string;
  sentence: string;
  /** Whether it comes by itself; else a new job is needed. */
  comes: boolean;
}

/** Why a job has no trace. */
export function whyNoTrace(job: JobView): NoTraceWords {
  if (!isBenchmark(job)) {
    return { title: "Nothing was followed", sentence: "Only benchmarks can be traced. To trace one:", comes: false };
  }
  if (!job.spec.benchmark.trace) {
    return { title: "Nothing was followed", sentence: "The job did not ask for a trace. The same job with one:", comes: false };
  }
  if (isTerminal(job.state)) {
    const sentence = `The job ended before a rank reported an operation; \`ringscope why ${job.id}\` says why. Once more:`;
    return { title: "Nothing was followed", sentence, comes: false };
  }
  return { title: "No trace yet", sentence: "Each size is traced after it was timed; its trace then appears here.", comes: true };
}

/** The command that shows the trace. */
export function jobTraceCommand(jobId: number, { algorithm, size_bytes, in_place }: TracedOperation): string {
  const words = ["ringscope", "trace", algorithm, "--job", jobId, "--size", size_bytes, "--in-place", in_place ? 1 : 0];
  return words.map((word) => shellQuote(String(word))).join(" ");
}
