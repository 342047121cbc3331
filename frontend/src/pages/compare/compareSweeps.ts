/** A comparison of benchmarks: the lines of a chart, and the rows to copy. */
import type { ComparedJob, ComparedRow, Comparison, JobView } from "../../api/types";
import type { SizeLine } from "../../lib/sweep/lines";
import { basesOf } from "../../lib/sweep/caveats";
import { lineOf } from "../../lib/sweep/compare";
import { areMedians, FASTEST, figuresOf, rowsOf } from "../../lib/sweep/comparedRows";
import { toCsv } from "../../lib/csv";
import { bandOf, type Ends, spreadOf } from "../../lib/sweep/spread";

/** The quantity of the lines: bus bandwidth, or the base job's time over the job's, so that higher is faster in both. */
export type Scale = "busbw" | "ratio";

/** The algorithms of any of the jobs, in their order, after the fastest of each size. */
export function algorithmsOf({ jobs }: Comparison): string[] {
  const names = jobs.flatMap((job) => job.rows.map((row) => row.algorithm));
  return [FASTEST, ...new Set(names.filter((name) => name !== FASTEST))];
}

/** The speedup over the base job; 1 for the base job itself, null if it has no such row. */
export function speedup(row: ComparedRow, isBase: boolean): number | null {
  if (isBase) return 1;
  return row.against ? 1 / row.against.ratio : null;
}

/** A job's name in legends and headings: "job 7", for a simulation "SIMULATED job 7". */
export type Words = ReadonlyMap<number, string>;

/** Which rows of the jobs are compared, and how. */
export interface Look {
  algorithm: string;
  inPlace: boolean;
  scale: Scale;
  /** From p5 to p95 behind each line. */
  hasBands: boolean;
}

/** A line for each job, in the look that it has on the whole page. */
export function comparedLines(found: Comparison, words: Words, { algorithm, inPlace, scale, hasBands }: Look): SizeLine[] {
  const ids = found.jobs.map((job) => job.job_id);
  const isMedian = areMedians(shownRows(found, algorithm, inPlace));
  return found.jobs.map((job) => {
    const rows = rowsOf(job, algorithm, inPlace);
    const valueOf = (row: ComparedRow): number | null =>
      scale === "busbw" ? figuresOf(row, isMedian).busbw : speedup(row, job.job_id === found.base);
    return {
      ...lineOf(job.job_id, ids, words.get(job.job_id) ?? `job ${job.job_id}`),
      width: job.job_id === found.base ? 3 : 2,
      mark: "open",
      isNamed: true,
      points: rows.map((row) => [row.size_bytes, valueOf(row)] as const),
      band: hasBands ? bandOf(rows, (row) => endsOf({ ...row, time_us: figuresOf(row, isMedian).timeUs }, valueOf(row))) : [],
      unstable: rows.filter((row) => row.is_unstable).map((row) => row.size_bytes),
    };
  });
}

function endsOf(row: ComparedRow, value: number | null): Ends | null {
  return value === null ? null : spreadOf(row, value);
}

/** The rows of all jobs for an algorithm and place. */
export function shownRows({ jobs }: Comparison, algorithm: string, inPlace: boolean): ComparedRow[] {
  return jobs.flatMap((job) => rowsOf(job, algorithm, inPlace));
}

/** The sizes that any job has for an algorithm and place. */
export function sizesOf(found: Comparison, algorithm: string, inPlace: boolean): number[] {
  const sizes = shownRows(found, algorithm, inPlace).map((row) => row.size_bytes);
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** Ratios of times at both ends of a scale that holds 1. */
export type RatioScale = readonly [least: number, most: number];

const LEAST_SPREAD = 1.05;

/** One scale for the intervals of all rows; it shows at least 5 % in both directions. */
export function ratioScale(rows: readonly ComparedRow[]): RatioScale {
  const ends = rows.flatMap(({ against }) => (against ? [against.ratio_low ?? against.ratio, against.ratio_high ?? against.ratio] : []));
  return [Math.min(1 / LEAST_SPREAD, ...ends), Math.max(LEAST_SPREAD, ...ends)];
}

/** The place of a ratio on the scale, from 0 to 1; the scale is logarithmic. */
export function placeOn([least, most]: RatioScale, ratio: number): number {
  return Math.log(ratio / least) / Math.log(most / least);
}

/** The number of iterations of each time: "n=20", "n=5 – 20" if rows differ; empty without rows. */
export function countWords(rows: readonly ComparedRow[]): string {
  if (rows.length === 0) return "";
  const counts = rows.map((row) => row.iterations);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `n=${most}` : `n=${least} – ${most}`;
}

type FlatRow = Omit<ComparedRow, "against"> & Partial<NonNullable<ComparedRow["against"]>> & { job_id: number };

const CSV_COLUMNS: (keyof FlatRow)[] = [
  "job_id", "algorithm", "in_place", "size_bytes", "time_us", "median_us", "busbw_gb_per_s", "p5_us", "p95_us", "is_unstable", "iterations", "ratio", "ratio_low", "ratio_high", "is_clear", "noise",
];

/** Every row of the comparison to copy, with the basis of its job's numbers. */
export function comparisonCsv(known: readonly JobView[], jobs: readonly ComparedJob[]): string {
  const bases = basesOf(known);
  const rows = jobs.flatMap(({ job_id, rows }) => rows.map(({ against, ...row }): FlatRow => ({ job_id, ...row, ...against })));
  return toCsv(rows, CSV_COLUMNS, (row) => bases(row.job_id));
}
