/** Rows of a benchmark compared with the base job's, in words. Whether they differ is the server's rule. */
import type { ComparedJob, ComparedRow } from "../../api/types";
import { plural, threeDigits } from "../format";

/** The server's name for the algorithm that took the least time at a size. */
export const FASTEST = "fastest";

/** The rows of one algorithm and place, ascending by size. */
export function rowsOf(job: ComparedJob, algorithm: string, inPlace: boolean): ComparedRow[] {
  return job.rows
    .filter((row) => row.algorithm === algorithm && row.in_place === inPlace)
    .sort((a, b) => a.size_bytes - b.size_bytes);
}

/** From this ratio on a percentage is hard to read. */
const MANY = 10;

export type Mark = "faster" | "slower" | "unclear";

export interface Delta {
  /** The change of the time: "−12.3 %" is faster, "25.1×" far slower. */
  text: string;
  mark: Mark;
  /** The change's 95 % interval: "−13.0 % to −11.5 %"; empty if the rows have none. */
  interval: string;
  /** How much single iterations vary: "±4.20 %". */
  noise: string;
}

/** How a row differs from the base job's; null if there is nothing to compare. */
export function deltaOf(row: ComparedRow): Delta | null {
  if (!row.against) return null;
  const { ratio, ratio_low: low, ratio_high: high, noise, is_clear: isClear } = row.against;
  return {
    text: change(ratio),
    mark: !isClear ? "unclear" : ratio < 1 ? "faster" : "slower",
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
