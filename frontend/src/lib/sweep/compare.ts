/** Comparison of jobs: which ones, how their lines look, and results of training; compareSweeps.ts has the benchmarks. Pure. */
import type { AttemptEnvironment, CurvePoint, EpochView, JobView, TrainingSummary } from "../../api/types";
import type { Line } from "./lines";
import { inOrder, meanStep, middle, secondsAt } from "../curve";
import { type Columns, joined, type Point } from "./lineColumns";
import type { CompareSearch } from "../search/search";
import { formatDuration, formatRate, percent, plural, threeDigits } from "../format";
import { disturbance, isBenchmark } from "../state";

/** Whether a job has results that can be compared: benchmarks, training, strategy searches. */
export function isComparable(job: JobView): boolean {
  return isBenchmark(job) || job.spec.training != null || job.spec.strategy_search != null;
}

/** The most jobs that are compared: more lines cannot be distinguished. */
export const MOST_JOBS = 6;

const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [10, 3, 2, 3], [5, 2], [10, 4]];

/** "3,1,3" as job numbers: each once, in the order given, and no more than can be shown. */
export function comparedIds(text: string | undefined): number[] {
  return askedIds(text).slice(0, MOST_JOBS);
}

/** Which jobs of an address are left out because there are too many; empty if there are not. */
export function tooManyWords(text: string | undefined): string {
  const others = askedIds(text).slice(MOST_JOBS);
  return others.length === 0 ? "" : `Left out, because no more than ${MOST_JOBS} can be compared: job ${others.join(", ")}.`;
}

/** The base job of jobs that are compared, in the list of jobs and on the page Compare: the given one, else the first. */
export function baseOf(ids: readonly number[], given: number | string | null | undefined): number {
  return ids.find((id) => String(id) === String(given)) ?? ids[0] ?? 0;
}

/** The address where these jobs are compared, with the base job of the list if there is room; null if there are none or too many. */
export function comparisonOf(chosen: readonly number[], base: number | null): CompareSearch | null {
  if (chosen.length === 0 || chosen.length > MOST_JOBS) return null;
  const isMissing = base !== null && !chosen.includes(base) && chosen.length < MOST_JOBS;
  const ids = isMissing ? [base, ...chosen] : chosen;
  const found = baseOf(ids, base);
  return { ids: ids.join(","), ...(found !== ids[0] && { base: String(found) }) };
}

function askedIds(text: string | undefined): number[] {
  const words = (text ?? "").split(",").filter((word) => /^\d+$/.test(word));
  return [...new Set(words.map(Number))];
}

/** One job of the page, as far as it is loaded. */
export interface Compared {
  job: JobView;
  summary: TrainingSummary;
  points: readonly CurvePoint[];
  epochs: readonly EpochView[];
}

/** What disturbed a training job or a search, or its base job, and which of them had cores of its own: differences may come from it. */
export function warnings(job: JobView, base: JobView): string[] {
  const [here, there] = [disturbance(job), disturbance(base)];
  const both = `Both jobs were disturbed, so differences may come from that. Job ${job.id}: ${here} Job ${base.id}: ${there}`;
  const [one, why] = here ? [job, here] : [base, there];
  const [cores, baseCores] = [coreWords(job), coreWords(base)];
  return [
    ...(here && there ? [both] : why ? [`Job ${one.id} was disturbed, so differences may come from that. ${why}`] : []),
    ...(cores === baseCores ? [] : [`Job ${job.id} had ${cores}, and job ${base.id} ${baseCores}.`]),
  ];
}

function coreWords({ summary: { ranks, cores } }: JobView): string {
  return cores != null && cores < ranks ? `${plural(ranks, "rank")} on ${plural(cores, "core")}` : "a core for each rank";
}

/** The line of one of the compared jobs: colour and pattern, so that colour alone never identifies it. */
export function lineOf(id: number, ids: readonly number[], name = ""): Line {
  const look = looksOf(ids).get(id) ?? 0;
  return { name, colour: `--job-${look}`, dash: DASHES[look] ?? [] };
}

/**
 * The look of each job, which follows from its number alone, so that it stays when others come or go. If several would
 * look the same, the first keeps its look, and the others get an unused one.
 */
function looksOf(ids: readonly number[]): ReadonlyMap<number, number> {
  const owners: (number | undefined)[] = DASHES.map(() => undefined);
  const inOrder = [...ids].sort((a, b) => a - b);
  for (const id of inOrder) owners[id % MOST_JOBS] ??= id;
  for (const id of inOrder) {
    if (!owners.includes(id)) owners[nextFree(owners, id % MOST_JOBS)] = id;
  }
  return new Map(owners.flatMap((id, look) => (id === undefined ? [] : [[id, look] as const])));
}

function nextFree(owners: readonly unknown[], from: number): number {
  const after = owners.indexOf(undefined, from);
  return after < 0 ? owners.indexOf(undefined) : after;
}

/** "steps", or "time": seconds in steps. */
export type Axis = "steps" | "time";

/** Training loss of each job over steps or time. */
export function losses(items: readonly Compared[], axis: Axis): Columns {
  return joined(items.map(({ points }) => overAxis(points, axis, (point) => point.loss)));
}

/** Samples per second of each job over steps or time. */
export function rates(items: readonly Compared[], axis: Axis): Columns {
  return joined(items.map(({ points }) => overAxis(points, axis, (point) => point.samples_per_second)));
}

/** Held-out accuracy of each job in percent, at the ends of its epochs; over time as far as steps were timed. */
export function accuracies(items: readonly Compared[], axis: Axis): Columns {
  return joined(
    items.map(({ epochs }) => {
      let took = 0;
      return inOrder(epochs).map((epoch): Point => {
        took += epoch.duration_us / 1e6;
        const share = epoch.validation_accuracy;
        return [axis === "time" ? took : epoch.step, share === null ? null : 100 * share];
      });
    }),
  );
}

function overAxis(points: readonly CurvePoint[], axis: Axis, value: (point: CurvePoint) => number | null): Point[] {
  const seconds = axis === "time" ? secondsAt(points) : [];
  return points.map((point, i) => [seconds[i] ?? middle(point), value(point)]);
}

export interface Measure {
  name: string;
  value: (item: Compared) => number | null | undefined;
  format: (value: number) => string;
  /** Whether its ratio to the base job is meaningful. */
  hasRatio: boolean;
}

/** The rows of the table. */
export const MEASURES: readonly Measure[] = [
  { name: "Throughput, mean (samples/s)", value: ({ summary }) => summary.samples_per_second, format: formatRate, hasRatio: true },
  { name: "Step, mean (ms)", value: ({ summary }) => milliseconds(meanStep(summary)?.duration_us), format: threeDigits, hasRatio: true },
  { name: "Waiting for sums, of the step", value: waitingShare, format: percent, hasRatio: false },
  { name: "Time to accuracy", value: ({ summary }) => summary.seconds_to_target, format: formatDuration, hasRatio: true },
  { name: "Held-out accuracy", value: ({ summary }) => summary.validation_accuracy, format: percent, hasRatio: false },
  { name: "Held-out loss", value: ({ summary }) => summary.validation_loss, format: threeDigits, hasRatio: false },
  { name: "Training loss, newest epoch", value: ({ summary }) => summary.loss, format: threeDigits, hasRatio: false },
  { name: "Scaling, of linear", value: ({ summary }) => summary.scaling_efficiency, format: percent, hasRatio: false },
  { name: "Epochs", value: ({ summary }) => summary.epochs_done, format: String, hasRatio: false },
];

/** The ratio of the base job's value to this one; null if one is missing or their targets differ. */
export function ratio(measure: Measure, item: Compared, base: Compared): number | null {
  const [value, before] = [measure.value(item), measure.value(base)];
  const isComparable = measure.name !== "Time to accuracy" || target(item) === target(base);
  return measure.hasRatio && isComparable && value != null && before ? value / before : null;
}

function target({ job }: Compared): number | null | undefined {
  return job.spec.training?.target_accuracy;
}

function waitingShare({ summary }: Compared): number | null {
  const { exposed_communication_seconds: exposed, step_seconds: inSteps } = summary;
  return exposed != null && inSteps ? exposed / inSteps : null;
}

function milliseconds(timeUs: number | undefined): number | null {
  return timeUs === undefined ? null : timeUs / 1000;
}

/** The library versions that the nodes of a job's newest attempt reported; empty: nothing is known. */
export type Versions = Readonly<Record<string, string>>;

/** Each library's version; if the nodes differ, all versions. */
export function versionsOf(environments: readonly AttemptEnvironment[]): Versions {
  const nodes = environments.at(-1)?.nodes ?? [];
  const names = [...new Set(nodes.flatMap((node) => Object.keys(node.versions)))];
  return Object.fromEntries(names.map((name) => [name, [...new Set(nodes.flatMap((node) => node.versions[name] ?? []))].sort().join(", ")]));
}

/** The properties in which the jobs differ, with each job's value as text. */
export function differingFields(jobs: readonly JobView[], versions: readonly Versions[] = []): [field: string, values: string[]][] {
  return everyField(jobs, versions).filter(([field, values]) => kinds(field, values).length > 1);
}

/** The properties in which all jobs agree, with their one value. */
export function sameFields(jobs: readonly JobView[], versions: readonly Versions[] = []): [field: string, value: string][] {
  return everyField(jobs, versions).flatMap(([field, values]): [string, string][] => {
    const [value = "–", ...others] = kinds(field, values);
    return others.length === 0 ? [[field, value]] : [];
  });
}

/** The values, each once. A job that reported no versions has none that could differ. */
function kinds(field: string, values: readonly string[]): string[] {
  return [...new Set(field.startsWith("versions.") ? values.filter((value) => value !== "–") : values)];
}

/** Specification, placement, transport and versions, with each job's value as text. */
function everyField(jobs: readonly JobView[], versions: readonly Versions[]): [field: string, values: string[]][] {
  const flat = jobs.map((job, i) => {
    const { training, benchmark, script, strategy_search: search, placement } = job.spec;
    return new Map(flattened({ ...(training ?? benchmark ?? search ?? script), ...placement, ...ran(job), versions: versions[i] ?? {} }));
  });
  const fields = [...new Set(flat.flatMap((fields) => [...fields.keys()]))];
  return fields.map((field) => [field, flat.map((values) => values.get(field) ?? "–")]);
}

/** Where a job finally ran, and the transport that it measured. */
function ran({ attempts, summary }: JobView): Record<string, string | null> {
  const transports = summary.kind === "benchmark" ? [...new Set(summary.best.map(({ transport }) => transport))].sort() : [];
  return { "ran on": attempts.at(-1)?.nodes.join(", ") || null, "measured over": transports.join(", ") || null };
}

function flattened(tree: object, under = ""): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]): [string, string][] => {
    if (typeof value === "object" && value !== null) return flattened(value, `${under}${key}.`);
    return [[`${under}${key}`, value === null || value === undefined ? "–" : String(value)]];
  });
}
