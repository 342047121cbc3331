/** The sentences under a sweep's chart and table: the measured call, and how its numbers are computed. */
import type { BenchmarkJob, BenchmarkSpec, MeasurementView } from "../../api/types";
import { withoutCycles } from "./cycles";
import { busFactor, COLLECTIVES, withArticle } from "../collectives";
import { plural, threeDigits } from "../format";
import type { Metric, Statistic } from "../search/search";

/** Ranks of the collective: processes, or those that one process simulates (its cluster's shape is their product). */
export function rankCount({ benchmark: { topology }, placement }: BenchmarkSpec): number {
  return topology ? topology.shape.split("x").reduce((product, number) => product * Number(number), 1) : placement.ranks;
}

/** "an all-reduce (sum of float32) over 4 ranks", "a broadcast of int32 from rank 2 over 4 ranks". */
export function callInWords(spec: BenchmarkSpec, reduces: boolean, hasRoot: boolean): string {
  const { collective, dtype, op, root, topology } = spec.benchmark;
  const what = reduces ? ` (${op} of ${dtype})` : ` of ${dtype}`;
  const where = hasRoot ? ` ${reduces ? "to" : "from"} rank ${root}` : "";
  return `${withArticle(COLLECTIVES[collective].name)}${what}${where} over ${plural(rankCount(spec), topology ? "simulated rank" : "rank")}`;
}

/** "busbw = algbw × 2(n−1)/n = 1.50 × algbw for n = 4 ranks": the bus factor with its value. */
export function busFactorInWords(spec: BenchmarkSpec): string {
  const { factor, name } = COLLECTIVES[spec.benchmark.collective];
  const ranks = rankCount(spec);
  if (factor === "1") return `busbw = algbw for ${withArticle(name)}`;
  return `busbw = algbw × ${factor} = ${threeDigits(busFactor(factor, ranks))} × algbw for n = ${plural(ranks, "rank")}`;
}

/** What size and count mean in the table of this collective. */
export function sizeInWords(spec: BenchmarkSpec): string {
  const { size, hasParts } = COLLECTIVES[spec.benchmark.collective];
  const parts = "; count is the elements of one of its n parts, in whole pieces of 16 bytes";
  return `Size is ${size}${hasParts ? parts : ""}`;
}

/** Why rows have no check, in a table where that happens; empty if every row has one. */
export function uncheckedInWords(isOn: boolean, isCheckedInPlace: boolean, simulated: boolean): string {
  if (simulated) return "N/A: nothing was computed that could be checked.";
  if (!isOn) return "N/A: the check is off.";
  return isCheckedInPlace ? "" : "N/A: as in nccl-tests, results in place are not checked.";
}

const OVER_RANKS = {
  mean: "over all ranks",
  rank0: "on rank 0",
  min: "on the fastest rank",
  max: "on the slowest rank",
} as const;

/** The definition of a row's time. */
export function rowTimeInWords(average: keyof typeof OVER_RANKS): string {
  return `mean of the timed iterations ${OVER_RANKS[average]}`;
}

function overRanks({ benchmark: { average, cycles } }: BenchmarkSpec): string {
  return `${OVER_RANKS[average]}${cycles > 1 ? `, over ${cycles} cycles` : ""}`;
}

/**
 * "20 timed iterations", "5 to 20 timed iterations" if rows differ: skipped iterations or several cycles make the number
 * differ from the requested one, which stands for rows to come.
 */
export function timedIterations(rows: readonly MeasurementView[], asked: number): string {
  const counts = rows.length > 0 ? rows.map((row) => row.iterations) : [asked];
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `${least === most ? "" : `${least} to `}${plural(most, "timed iteration")}`;
}

/** The caption of the chart: the quantity, the call, and what a point is. */
export function caption(job: BenchmarkJob, rows: readonly MeasurementView[], metric: Metric, statistic: Statistic, reduces: boolean, hasRoot: boolean): string {
  const names: Record<Metric, string> = {
    busbw: "Bus bandwidth in GB/s",
    algbw: "Algorithm bandwidth in GB/s",
    time: "Time in µs",
    limit: "Share of the limit in %",
  };
  const { topology, iterations } = job.spec.benchmark;
  const timed = timedIterations(withoutCycles(rows), iterations).replace("timed ", "");
  const { imported } = job.spec;
  const points = topology ? "the model's times of one call" : imported ? `what ${imported.tool} printed` : `${statistic}s of ${timed}, the band is p5 to p95`;
  return `${names[metric]} of ${callInWords(job.spec, reduces, hasRoot)}; points are ${points}.`;
}

/** The definitions behind the caption: how times of ranks and cycles become one, and the formula of the quantity. */
export function definitions(job: BenchmarkJob, metric: Metric, statistic: Statistic): string {
  const formulas: Record<Metric, string> = {
    busbw: `${busFactorInWords(job.spec)}, so that algorithms and numbers of ranks compare.`,
    algbw: "algbw = size / time.",
    time: "Both axes are logarithmic.",
    limit: `${busFactorInWords(job.spec)}; 100 % is what the slowest link allows.`,
  };
  const { done, total } = job.progress;
  const means = `The mean is ${overRanks(job.spec)}, as in nccl-tests; the band is of the slowest rank.`;
  const medians = "The median and the band are of the slowest rank; the best values and the table below use the mean.";
  const { imported } = job.spec;
  if (imported) return `${done} of ${plural(total ?? 0, "row")}, as ${imported.tool} printed them; it states no spread. ${formulas[metric]}`;
  const points = job.spec.benchmark.topology ? "" : `${statistic === "mean" ? means : medians} `;
  return `${done} of ${plural(total ?? 0, "row")}. ${points}${formulas[metric]}`;
}
