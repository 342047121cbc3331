/** The reference lines of a sweep: the cost model, earlier good runs, and the slowest link. */
import type { ComparedJob, Comparison, JobPrediction } from "../../api/types";
import { largest } from "./axes";
import { type Figures, inStatistic, metricOf, type Shown, STATISTIC_NAMES } from "./series";
import type { Rule, SizeLine, Span } from "./lines";
import { colourToken } from "./style";
import { FASTEST, rowsOf, sumWords } from "./comparedRows";
import { threeDigits } from "../format";
import type { Beside, Metric, Statistic } from "../search/search";
import { formatSize } from "../size";

type Model = NonNullable<JobPrediction["model"]>;

/** After the name of a model whose parameters were fitted elsewhere or are the defaults. */
const ELSEWHERE = "of another machine";
const MODEL_DASH = [5, 4] as const;
const GREY = { colour: "--line-strong", dash: [], width: 3, mark: "none", isNamed: true } as const;
/** A limit above the values by more than this factor would flatten them; the caption states it instead. */
const MOST_ABOVE = 4;

/** The lines of the model (dashed), of the baseline from earlier runs or of the base job (grey), in the order of the algorithms. */
export function referenceLines(
  found: JobPrediction | undefined,
  beside: Beside,
  shown: Shown,
  inPlace: boolean,
  compared?: Comparison,
): SizeLine[] {
  if (beside === "base") return baseLines(compared, shown, inPlace);
  if (!found || beside === "nothing") return [];
  if (beside === "baseline") return baselineLines(found, shown, inPlace);
  return found.model ? withKnees(named(modelLines(found.model.rows, shown.metric, shown.limit), found.model), found.model) : [];
}

/** The predicted line with the fit's band: half of the fitted rows lie between the ends of each band. */
export function predictedLines(model: Model): SizeLine[] {
  const lines = withKnees(modelLines(model.rows, "busbw"), model);
  const { median_error: error } = model;
  if (error === null) return lines;
  const factor = Math.exp(error);
  return lines.map((line) => ({
    ...line,
    band: line.points.flatMap(([size, value]): Span[] => (value === null ? [] : [[size, value / factor, value * factor]])),
  }));
}

/** Names the lines whose parameters were not measured here. */
function named(lines: readonly SizeLine[], { unfitted }: Model): SizeLine[] {
  return lines.map((line) => (unfitted.some((algorithm) => isModelOf(line, algorithm)) ? { ...line, name: `${line.name} ${ELSEWHERE}` } : line));
}

function isModelOf({ name }: SizeLine, algorithm: string): boolean {
  return name.startsWith(`${algorithm}, model`);
}

/** " The model of ring and mpi has parameters from another machine."; empty if it was fitted to measurements of this one. */
export function elsewhereWords(references: readonly SizeLine[]): string {
  const names = references.flatMap(({ name }) => (name.endsWith(ELSEWHERE) ? [name.split(", ")[0]] : []));
  return names.length > 0 ? ` The model of ${names.join(", ")} has parameters from another machine.` : "";
}

function withKnees(lines: readonly SizeLine[], { knees }: Model): SizeLine[] {
  return lines.map((line) => {
    const knee = knees.find(({ algorithm }) => isModelOf(line, algorithm));
    return knee ? { ...line, kneeBytes: knee.size_bytes } : line;
  });
}

/** " S* marks where half of the time is latency: ring 64 KiB."; empty if no algorithm reaches it. */
export function kneeWords({ knees }: Model): string {
  const places = knees.map(({ algorithm, size_bytes: size }) => `${algorithm} ${formatSize(Math.round(size))}`);
  return places.length > 0 ? ` S* marks where half of the model\u2019s time is latency: ${places.join(", ")}.` : "";
}

/** A line for each algorithm of predicted rows. */
export function modelLines(
  rows: readonly (Figures & { algorithm: string; size_bytes: number })[],
  metric: Metric,
  limit?: number,
): SizeLine[] {
  return names(rows).map((algorithm) => ({
    name: `${algorithm}, model`,
    colour: colourToken(algorithm),
    dash: MODEL_DASH,
    isModel: true,
    width: 1.25,
    mark: "none",
    isNamed: false,
    points: rows.filter((row) => row.algorithm === algorithm).map((row) => [row.size_bytes, metricOf(row, metric, limit)] as const),
  }));
}

/** Earlier runs have only bus bandwidths by the mean. */
function baselineLines({ baseline }: JobPrediction, { metric, statistic, limit = 100 }: Shown, inPlace: boolean): SizeLine[] {
  if (metric === "time" || metric === "algbw" || statistic !== "mean") return [];
  const rows = baseline.filter((row) => row.in_place === inPlace);
  const scale = metric === "limit" ? 100 / limit : 1;
  return names(rows).map((algorithm) => {
    const points = rows.filter((row) => row.algorithm === algorithm).map((row) => [row.size_bytes, row.median_gb_per_s * scale] as const);
    return { ...GREY, name: `${algorithm}, baseline`, points };
  });
}

/** The rows of the base job, if they measured the same thing. */
function baseLines(compared: Comparison | undefined, shown: Shown, inPlace: boolean): SizeLine[] {
  const { base, other } = sides(compared);
  const { metric, limit = 100 } = shown;
  if (!base || metric === "algbw" || (other?.obstacles.length ?? 0) > 0) return [];
  return names(base.rows)
    .filter((algorithm) => other?.rows.some((row) => row.algorithm === algorithm && algorithm !== FASTEST))
    .map((algorithm) => ({
      ...GREY,
      name: `${algorithm}, base job`,
      points: rowsOf(base, algorithm, inPlace).map((row) => {
        const value = inStatistic(row, metric === "time" ? row.time_us : row.busbw_gb_per_s, shown);
        return [row.size_bytes, metric === "limit" ? (100 * value) / limit : value] as const;
      }),
    }));
}

/** What the grey lines are, and how the job differs from them, or why they cannot be compared. */
export function baseWords(compared: Comparison | undefined, { metric, statistic }: Shown, inPlace: boolean): string {
  const { base, other } = sides(compared);
  if (!base || !other) return "";
  if (other.obstacles.length > 0) return ` Job ${base.job_id}, the base job, does not measure the same thing: ${other.obstacles.join("; ")}.`;
  const caveats = other.caveats.map((caveat) => ` ${caveat}`).join("");
  const rows = other.rows.filter((row) => row.algorithm !== FASTEST && row.in_place === inPlace);
  const lines = metric === "algbw" ? "" : ` Grey: the ${STATISTIC_NAMES[statistic]}s of job ${base.job_id}, the base job.`;
  return `${lines} Against job ${base.job_id}: ${lowerFirst(sumWords(rows, "row"))}${caveats}`;
}

function sides(compared: Comparison | undefined): { base?: ComparedJob | undefined; other?: ComparedJob | undefined } {
  const of = (isBase: boolean) => compared?.jobs.find((job) => (job.job_id === compared.base) === isBase);
  return { base: of(true), other: of(false) };
}

/** The limit as a rule, if it is of the same order as the values. */
export function limitRule(found: Pick<JobPrediction, "limit"> | undefined, metric: Metric, lines: readonly SizeLine[]): Rule | undefined {
  if (!found?.limit || (metric !== "busbw" && metric !== "limit")) return undefined;
  if (metric === "limit") return isNear(100, lines) ? { value: 100, label: "limit" } : undefined;
  const value = found.limit.busbw_gb_per_s;
  return isNear(value, lines) ? { value, label: `limit ${threeDigits(value)} GB/s` } : undefined;
}

function isNear(value: number, lines: readonly SizeLine[]): boolean {
  return largest(lines) > 0 && value <= MOST_ABOVE * largest(lines);
}

/** The sources of the reference lines, as sentences for the caption. */
export function referenceWords(found: JobPrediction | undefined, beside: Beside, statistic: Statistic, isCut = false): string {
  const limit = found?.limit ? ` ${found.limit.because} That allows ${threeDigits(found.limit.busbw_gb_per_s)} GB/s.` : "";
  if (!found || beside === "nothing" || beside === "base") return limit;
  if (beside === "baseline") {
    const runs = found.baseline.map((row) => row.runs);
    if (runs.length === 0) return ` There is no baseline yet: fewer than three earlier good runs are comparable.${limit}`;
    if (statistic !== "mean") return ` The baseline has means only, so it is not drawn beside medians.${limit}`;
    const disturbed = found.baseline.some((row) => row.is_disturbed) ? " Other load disturbed some of these runs, which agree." : "";
    return ` Grey: the median of the means of ${range(runs)} earlier good runs of the same row.${disturbed}${limit}`;
  }
  if (!found.model?.rows.length) return limit;
  const cut = isCut ? " Where the model leaves the frame, the table has its values." : "";
  return ` Dashed: ${lowerFirst(found.model.source)}${errorWords(found.model.median_error)}${kneeWords(found.model)}${cut}${limit}`;
}

/** From this factor on the model and the measurements are said to be far from each other. */
const FAR = 2;

/** " The measured values are about 1.50 % of those of the model."; empty unless they are far from each other. */
export function distanceWords(references: readonly SizeLine[], measured: readonly SizeLine[]): string {
  const ratios = measured
    .flatMap((line) => {
      const model = new Map(references.find((model) => isModelOf(model, line.name))?.points);
      return line.points.flatMap(([size, value]) => (value && model.get(size) ? [value / (model.get(size) ?? 1)] : []));
    })
    .sort((a, b) => a - b);
  const ratio = ratios[Math.floor(ratios.length / 2)];
  if (ratio === undefined || (ratio < FAR && ratio > 1 / FAR)) return "";
  return ` The measured values are about ${ratio < 1 ? `${threeDigits(100 * ratio)} % of` : `${threeDigits(ratio)} times`} those of the model.`;
}

/** " Half of these rows lie within 12 % of it." */
export function errorWords(medianError: number | null): string {
  return medianError === null ? "" : ` Half of these rows lie within ${threeDigits(100 * medianError)} % of it.`;
}

function names(rows: readonly { algorithm: string }[]): string[] {
  return [...new Set(rows.map((row) => row.algorithm))];
}

function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least} to ${most}`;
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
