/** Rows of a benchmark compared with the base job's, in words. Whether they differ is the server's rule. */
import type { ComparedJob, ComparedRow } from "../../api/types";
import { digits } from "../amount";
import { plural } from "../format";
import { formatSize } from "../size";

/** The server's name for the algorithm that took the least time at a size. */
export const FASTEST = "fastest";

/** The rows of one algorithm and place, ascending by size. */
export function rowsOf(job: ComparedJob, algorithm: string, inPlace: boolean): ComparedRow[] {
  return job.rows
    .filter((row) => row.algorithm === algorithm && row.in_place === inPlace)
    .sort((a, b) => a.size_bytes - b.size_bytes);
}

/** Whether rows are shown by the medians of their rounds, which are compared; if any has no rounds, all are shown by their means. */
export function areMedians(rows: readonly ComparedRow[]): boolean {
  return rows.length > 0 && rows.every((row) => row.median_us != null);
}

/** The time and the bus bandwidth of a row: of the median of its rounds, or of the mean. */
export function figuresOf(row: ComparedRow, isMedian: boolean): { timeUs: number; busbw: number } {
  const timeUs = isMedian && row.median_us ? row.median_us : row.time_us;
  return { timeUs, busbw: (row.busbw_gb_per_s * row.time_us) / timeUs };
}

/** From this factor on a difference is a multiple, below it a percentage of the time. */
const MANY = 2;

export type Mark = "faster" | "slower" | "unclear";

export interface Delta {
  /** The change of the time: "12.3 % faster", "267 × slower". */
  text: string;
  mark: Mark;
  /** The 95 % interval: "14 % faster to 1 % slower"; empty if the rows have none. */
  interval: string;
  /** How much single iterations vary: "±4.2 %". */
  noise: string;
}

/** How a row differs from the base job's; null if there is nothing to compare. */
export function deltaOf(row: ComparedRow): Delta | null {
  if (!row.against) return null;
  const { ratio, ratio_low: low, ratio_high: high, noise, is_clear: isClear } = row.against;
  return {
    text: differenceWords(ratio),
    mark: !isClear ? "unclear" : ratio < 1 ? "faster" : "slower",
    interval: low === null || high === null ? "" : `${differenceWords(low)} to ${differenceWords(high)}`,
    noise: noise >= MANY ? `±${digits(noise)} ×` : `±${digits(100 * noise)} %`,
  };
}

/** A ratio of times: "12.3 % faster", "267 × slower", "equal". */
export function differenceWords(ratio: number): string {
  const amount = amountWords(ratio);
  return amount === "0 %" ? "equal" : `${amount} ${ratio < 1 ? "faster" : "slower"}`;
}

/** A rate as a share of another one: "38.2 % fewer than", "3.1 × as many as". */
export function rateWords(share: number): string {
  if (share >= MANY) return `${digits(share)} × as many as`;
  const percent = digits(Number((100 * Math.abs(share - 1)).toFixed(2)));
  return percent === "0" ? "as many as" : `${percent} % ${share < 1 ? "fewer" : "more"} than`;
}

function amountWords(ratio: number): string {
  const times = Math.max(ratio, 1 / ratio);
  return times >= MANY ? `${digits(times)} ×` : `${digits(Number((100 * Math.abs(ratio - 1)).toFixed(2)))} %`;
}

export const MARKS: Record<Mark, { glyph: string; text: string }> = {
  faster: { glyph: "▲", text: "clearly faster" },
  slower: { glyph: "▼", text: "clearly slower" },
  unclear: { glyph: "≈", text: "no clear difference" },
};

/** "Of 20 sizes 12 faster, 1 slower, 7 without a clear difference."; with several algorithms these are rows. */
export function sumWords(rows: readonly ComparedRow[], noun = "size"): string {
  const marks = rows.flatMap((row) => deltaOf(row)?.mark ?? []);
  const count = (mark: Mark): number => marks.filter((found) => found === mark).length;
  if (marks.length === 0) return `No ${noun} in common with the base job.`;
  return `Of ${plural(marks.length, noun)} ${count("faster")} faster, ${count("slower")} slower, ${count("unclear")} without a clear difference.`;
}

/** The most separate ranges of sizes that a sentence lists. */
const MOST_RANGES = 2;
const FEWEST_ITERATIONS = 12;

/** Which of two jobs is faster, over which sizes, and by how much, for rows that ascend by size. */
export function answerWords(rows: readonly ComparedRow[], job: string, base: string): string {
  const found = rows.flatMap((row) => (row.against ? [{ row, mark: deltaOf(row)?.mark, ratio: row.against.ratio }] : []));
  if (found.length === 0) return `${job} and ${base} have no size in common.`;
  const parts = (["faster", "slower"] as const)
    .map((mark) => ({ mark, of: found.map((one) => (one.mark === mark ? one : null)) }))
    .map(({ mark, of }) => ({ mark, of, count: of.filter(Boolean).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ mark, of }) => `clearly ${mark}${PLACE}${placeWords(of.map((one) => one && one.row.size_bytes))}, by ${amountRange(of.flatMap((one) => one?.ratio ?? []))}`);
  const rest = found.filter((one) => one.mark === "unclear").length;
  if (parts.length === 0) {
    const isShort = found.every(({ row }) => row.against?.ratio_low === null);
    const why = isShort ? ` With fewer than ${FEWEST_ITERATIONS} iterations there is no 95 % interval.` : "";
    const sizes = found.length === 1 ? allWords(found.map(({ row }) => row.size_bytes)) : `at any of ${found.length} sizes`;
    return `${job} and ${base} do not differ clearly ${sizes}.${why}`;
  }
  const [first = "", second] = parts.map((part, i) => part.replace(PLACE, i === 0 ? ` than ${base} ` : " "));
  const also = second ? `, and ${second}` : "";
  return `${job} is ${first}${also}.${rest > 0 ? ` ${plural(rest, "size")} ${rest === 1 ? "shows" : "show"} no clear difference.` : ""}`;
}

// Stands where the first part names the base job.
const PLACE = "\0";

/** "at all 20 sizes", "at 512 B and from 64 KiB to 4 MiB", "at 7 of 20 sizes"; null stands for a size that does not count. */
function placeWords(sizes: readonly (number | null)[]): string {
  const counted = sizes.filter((size) => size !== null);
  if (counted.length === sizes.length) return allWords(counted);
  const ranges: number[][] = [];
  sizes.forEach((size, i) => {
    if (size === null) return;
    if (i === 0 || sizes[i - 1] === null) ranges.push([]);
    ranges.at(-1)?.push(size);
  });
  if (ranges.length > MOST_RANGES) return `at ${counted.length} of ${sizes.length} sizes`;
  return ranges
    .map((range) => (range.length === 1 ? `at ${formatSize(range[0] ?? 0)}` : `from ${formatSize(range[0] ?? 0)} to ${formatSize(range.at(-1) ?? 0)}`))
    .join(" and ");
}

function allWords(sizes: readonly number[]): string {
  return sizes.length === 1 ? `at ${formatSize(sizes[0] ?? 0)}` : sizes.length === 2 ? "at both sizes" : `at all ${sizes.length} sizes`;
}

/** "by 12.3 % to 38 %", "by a factor of 2 to 19.6", "by 12.3 % to a factor of 2". */
function amountRange(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
  const amounts = [sorted[0] ?? 1, sorted.at(-1) ?? 1].map(amountWords);
  const [least = "", most = ""] = amounts.map((amount) => (amount.endsWith("×") ? `a factor of ${amount.slice(0, -2)}` : amount));
  if (least === most) return least;
  return `${least} to ${least.startsWith("a") ? most.replace("a factor of ", "") : most}`;
}
