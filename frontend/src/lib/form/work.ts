/** A job's work in words, from its specification alone. Pure. */
import type { BenchmarkSpec, JobSpec } from "../../api/types";
import { COLLECTIVES } from "../collectives";
import { plural } from "../format";
import { datasetText, modelText } from "../model";
import { formatSize } from "../size";
import { rankCount } from "../sweep/caption";

/** "all-reduce 8 B – 64 MiB, 4 ranks", "mlp on digits, 2 – 4 ranks": what is measured or trained, its sizes and its ranks. */
export function workWords(spec: JobSpec): string {
  return [whatOf(spec), ranksOf(spec)].filter(Boolean).join(", ");
}

function whatOf({ kind, benchmark, training, strategy_search: search, diagnosis, script }: JobSpec): string {
  if (benchmark) return `${COLLECTIVES[benchmark.collective].name} ${sizesOf(benchmark.min_bytes, benchmark.max_bytes)}`;
  if (training) return `${modelText(training.model)} on ${datasetText(training.dataset)}, batch ${training.global_batch_size}`;
  if (search) return `strategies for ${modelText(search.model)} on ${datasetText(search.dataset)}`;
  if (diagnosis) return `${diagnosis.measure === "links" ? "links between nodes" : "diagnosis"}, ${formatSize(diagnosis.size_bytes)}`;
  return script?.file ?? kind;
}

function sizesOf(minBytes: number, maxBytes: number): string {
  return minBytes === maxBytes ? formatSize(maxBytes) : `${formatSize(minBytes)} – ${formatSize(maxBytes)}`;
}

/** An elastic job may run on fewer ranks. */
function ranksOf(spec: JobSpec): string {
  const { benchmark, placement } = spec;
  if (benchmark?.topology) return plural(rankCount(spec as BenchmarkSpec), "simulated rank");
  const { ranks, min_ranks: least } = placement;
  return least != null && least < ranks ? `${least} – ${plural(ranks, "rank")}` : plural(ranks, "rank");
}
