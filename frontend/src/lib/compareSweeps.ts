/** Benchmarks side by side: the lines of a chart and the cells of a table. The rule for noise is the server's. */
import type { ComparedJob, ComparedRow, Comparison, JobView } from "../api/types";
import type { SizeLine } from "./lines";
import { basisOf } from "./caveats";
import { lineOf } from "./compare";
import { MEASURED, toCsv } from "./csv";
import { plural, threeDigits } from "./format";
import { bandOf, type Ends, spreadOf } from "./spread";

/** Whichever algorithm took the least time at a size, as the server names it. */
export const FASTEST = "fastest";

/** What the lines show: bus bandwidth, or the baseline's time over the job's, so that more is faster in both. */
export type Scale = "busbw" | "ratio";

/** Algorithms that any of the jobs has, in their order, with the fastest of each in front. */
export function algorithmsOf({ jobs }: Comparison): string[] {
  const names = jobs.flatMap((job) => job.rows.map((row) => row.algorithm));
  return [FASTEST, ...new Set(names.filter((name) => name !== FASTEST))];
}

/** The rows of one algorithm and place, ascending by size. */
export function rowsOf(job: ComparedJob, algorithm: string, inPlace: boolean): ComparedRow[] {
  return job.rows
    .filter((row) => row.algorithm === algorithm && row.in_place === inPlace)
    .sort((a, b) => a.size_bytes - b.size_bytes);
}

/** Faster by so many times than the baseline; 1 for the baseline itself, null where it has no such row. */
export function speedup(row: ComparedRow, isBase: boolean): number | null {
  if (isBase) return 1;
  return row.against ? 1 / row.against.ratio : null;
}

/** What a job is called in legends and headings: "job 7", of a simulation "SIMULATED job 7". */
export type Words = ReadonlyMap<number, string>;

/** Which rows of the jobs are looked at, and how. */
export interface Look {
  algorithm: string;
  inPlace: boolean;
  scale: Scale;
  /** From p5 to p95 behind each line. */
  hasBands: boolean;
}

/** A line for each job, in the look that it has on the whole page. */
export function comparedLines(found: Comparison, words: Words, { algorithm, inPlace, scale, hasBands }: Look): SizeLine[] {
  return found.jobs.map((job, i) => {
    const rows = rowsOf(job, algorithm, inPlace);
    const valueOf = (row: ComparedRow): number | null =>
      scale === "busbw" ? row.busbw_gb_per_s : speedup(row, job.job_id === found.base);
    return {
      ...lineOf(i, words.get(job.job_id) ?? `job ${job.job_id}`),
      width: job.job_id === found.base ? 3 : 2,
      mark: "open",
      isNamed: true,
      points: rows.map((row) => [row.size_bytes, valueOf(row)] as const),
      band: hasBands ? bandOf(rows, (row) => endsOf(row, valueOf(row))) : [],
      unstable: rows.filter((row) => row.is_unstable).map((row) => row.size_bytes),
    };
  });
}

function endsOf(row: ComparedRow, value: number | null): Ends | null {
  return value === null ? null : spreadOf(row, value);
}

/** The sizes that any job has of an algorithm and place. */
export function sizesOf({ jobs }: Comparison, algorithm: string, inPlace: boolean): number[] {
  const sizes = jobs.flatMap((job) => rowsOf(job, algorithm, inPlace).map((row) => row.size_bytes));
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** Of how many iterations each time is: "n=20", "n=5 – 20" where rows differ; empty without rows. */
export function countWords(rows: readonly ComparedRow[]): string {
  if (rows.length === 0) return "";
  const counts = rows.map((row) => row.iterations);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `n=${most}` : `n=${least} – ${most}`;
}

/** From so many times on a percentage is hard to read. */
const MANY = 10;

export type Mark = "faster" | "slower" | "noise";

export interface Delta {
  /** Of the time: "−12.3 %" is faster, "25.1×" far slower. */
  text: string;
  mark: Mark;
  /** How sure both means are of it: "−13.0 % to −11.5 %"; empty where the rows do not tell. */
  interval: string;
  /** The noise beside it: "±4.20 %". */
  noise: string;
}

/** How a row differs from the baseline's; null where there is nothing to compare. */
export function deltaOf(row: ComparedRow): Delta | null {
  if (!row.against) return null;
  const { ratio, ratio_low: low, ratio_high: high, noise, is_beyond_noise: isReal } = row.against;
  return {
    text: change(ratio),
    mark: !isReal ? "noise" : ratio < 1 ? "faster" : "slower",
    interval: low === null || high === null ? "" : `${change(low)} to ${change(high)}`,
    noise: `±${share(noise)}`,
  };
}

function change(ratio: number): string {
  return ratio >= MANY ? `${threeDigits(ratio)}×` : `${ratio < 1 ? "−" : "+"}${share(Math.abs(ratio - 1))}`;
}

function share(value: number): string {
  return value >= MANY ? `${threeDigits(value)}×` : `${threeDigits(100 * value)} %`;
}

export const MARKS: Record<Mark, { glyph: string; text: string }> = {
  faster: { glyph: "▲", text: "faster, beyond the noise" },
  slower: { glyph: "▼", text: "slower, beyond the noise" },
  noise: { glyph: "≈", text: "within the noise" },
};

/** "Of 20 sizes 12 faster, 1 slower, 7 within the noise."; of several algorithms they are rows. */
export function sumWords(rows: readonly ComparedRow[], noun = "size"): string {
  const marks = rows.flatMap((row) => deltaOf(row)?.mark ?? []);
  const count = (mark: Mark): number => marks.filter((found) => found === mark).length;
  if (marks.length === 0) return `No ${noun} in common with the baseline.`;
  return `Of ${plural(marks.length, noun)} ${count("faster")} faster, ${count("slower")} slower, ${count("noise")} within the noise.`;
}

type FlatRow = Omit<ComparedRow, "against"> & Partial<NonNullable<ComparedRow["against"]>> & { job_id: number };

const CSV_COLUMNS: (keyof FlatRow)[] = [
  "job_id", "algorithm", "in_place", "size_bytes", "time_us", "busbw_gb_per_s", "p5_us", "p95_us", "is_unstable", "iterations", "ratio", "ratio_low", "ratio_high", "noise",
  "is_beyond_noise",
];

/** Every row of the comparison to copy, with what the numbers of its job are. */
export function comparisonCsv(known: readonly JobView[], jobs: readonly ComparedJob[]): string {
  const bases = new Map(known.map((job) => [job.id, basisOf(job)]));
  const rows = jobs.flatMap(({ job_id, rows }) => rows.map(({ against, ...row }): FlatRow => ({ job_id, ...row, ...against })));
  return toCsv(rows, CSV_COLUMNS, (row) => bases.get(row.job_id) ?? MEASURED);
}
