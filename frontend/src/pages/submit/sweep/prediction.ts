/** The server's prediction for a sweep, in words. */
import type { BenchmarkSpec, Prediction } from "../../../api/types";
import { formatDuration, plural, threeDigits } from "../../../lib/format";
import { errorWords, kneeWords } from "../../../lib/sweep/references";
import { formatSize } from "../../../lib/size";

type Item = readonly [name: string, text: string];

/** Names and values of the predicted cost. */
export function predictionItems(found: Prediction, spec: BenchmarkSpec): Item[] {
  const { operations_seconds: seconds, buffer_bytes: bytes, nodes, limit } = found;
  const isSimulated = spec.benchmark.transport === "simulated";
  return [
    ["Operations take", seconds === null ? (isSimulated ? "no time: nothing is moved" : "not known") : `about ${formatDuration(seconds)}`],
    ...(seconds === null || !asksForGpus(spec) ? [] : [["On GPUs", `about ${threeDigits((seconds / 60) * spec.placement.ranks)} GPU-minutes`] as const]),
    ...(isSimulated ? [] : [["Buffers of a rank", formatSize(bytes)] as const]),
    ...(isSimulated || nodes.length === 0
      ? []
      : [["Nodes", nodes.map(({ node, ranks }) => `${node} (${plural(ranks, "rank")})`).join(", ")] as const]),
    ...(limit ? [["Limit", `${threeDigits(limit.busbw_gb_per_s)} GB/s`] as const] : []),
  ];
}

const OF_GPUS: readonly string[] = ["nccl", "cuda_ipc"];

/** Whether it can run on GPUs only: one for each rank. */
function asksForGpus({ benchmark: { device, transport, algorithms } }: BenchmarkSpec): boolean {
  return device === "cuda" || [transport, ...algorithms].some((name) => OF_GPUS.includes(name));
}

/** The source of the curve. */
export function predictionWords({ model }: Prediction): string {
  return `${model.source} Nothing here is measured.`;
}

/** The error of the curve, its marks and its limit; empty if there is nothing to say. */
export function predictionNotes({ model, limit }: Prediction): string {
  const band = model.median_error === null ? "" : " The band shows that.";
  return `${errorWords(model.median_error)}${band}${kneeWords(model)}${limit ? ` ${limit.because}` : ""}`.trim();
}
