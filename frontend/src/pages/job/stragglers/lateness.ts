/** The lateness of ranks, in words. */
import type { Lateness, RankLateness } from "../../../api/types";
import { percent, plural, threeDigits } from "../../../lib/format";

/** "iteration 12", "iterations 120 to 129": those of a column, counted from the first one shown. */
export function columnWords({ steps_per_column: width, after_us: columns }: Lateness, column: number): string {
  const first = column * width;
  if (width === 1 || columns.length === 0) return `iteration ${first}`;
  return `iterations ${first} to ${first + width - 1}`;
}

/** A cell of the strips: its strip from the top (the one after all ranks is the time after the last), and its column. */
export interface Cell {
  row: number;
  column: number;
}

/** The cell that the URL names, as "3.120": of rank 3, the column with iteration 120; null if there is none. */
export function cellOf(found: Lateness, text: string | undefined): Cell | null {
  const [who, iteration] = (text ?? "").split(".");
  const row = who === "after" ? found.ranks.length : found.ranks.findIndex(({ rank }) => String(rank) === who);
  const column = Math.floor(Number(iteration) / found.steps_per_column);
  return row >= 0 && column < found.after_us.length ? { row, column } : null;
}

/** The opposite. */
export function cellText(found: Lateness, { row, column }: Cell): string {
  return `${found.ranks[row]?.rank ?? "after"}.${column * found.steps_per_column}`;
}

/**
 * When the first iteration of a cell began there, on the clock of its node's log: "2026-01-31T12:00:00.000123Z"; for the
 * time after the last rank, or if no clock is known, on the server's. Null if no iteration was reported by every rank.
 */
export function instantOf({ ranks, started_at_ns: starts, steps_per_column: width }: Lateness, { row, column }: Cell): string | null {
  const [startedNs, rank] = [starts[column], ranks[row]];
  if (startedNs == null) return null;
  // The largest lateness of several iterations need not be the first one's.
  const lateNs = width === 1 ? 1000 * (rank?.late_us[column] ?? 0) : 0;
  const microseconds = Math.round((startedNs + lateNs + (rank?.clock_offset_ns ?? 0)) / 1000);
  const toMilliseconds = new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1);
  return `${toMilliseconds}${String(microseconds % 1000).padStart(3, "0")}Z`;
}

/** For a cell without a value: rows in and out of place take turns, and their iterations are counted together. */
export const UNTOLD = "of another row, or not reported by every rank";

/** A cell in words: "rank 3, iteration 12: 45.2 µs late, within the clock error (60 µs)". */
export function cellWords(found: Lateness, rank: RankLateness, column: number): string {
  const late = rank.late_us[column] ?? null;
  const where = `rank ${rank.rank}, ${columnWords(found, column)}`;
  if (late === null) return `${where}: ${UNTOLD}`;
  const most = found.steps_per_column > 1 ? "at most " : "";
  const words = late < 0 ? `${threeDigits(-late)} µs early` : `${most}${threeDigits(late)} µs late`;
  return `${where}: ${words}${errorWords(rank, late)}`;
}

function errorWords({ error_us: error }: RankLateness, late: number): string {
  if (error === null) return "; a node's clock is not known, so this may be clock error";
  if (error === 0 || late <= 0) return "";
  return late > error ? ` (±${threeDigits(error)} µs)` : `, within the clock error (${threeDigits(error)} µs)`;
}

/** A rank's median lateness in µs; null if columns hold only the largest of several iterations. */
export function medianLate(rank: RankLateness, { steps_per_column: width }: Lateness): number | null {
  const late = rank.late_us.filter((value) => value !== null).sort((a, b) => a - b);
  if (width > 1 || late.length === 0) return null;
  const [low, high] = [late[Math.floor((late.length - 1) / 2)] ?? 0, late[Math.floor(late.length / 2)] ?? 0];
  return (low + high) / 2;
}

/** Lateness up to this may be an error of the clocks; infinite if a clock is not known. */
export function leastReal({ error_us: error }: RankLateness): number {
  return error ?? Number.POSITIVE_INFINITY;
}

/** The largest lateness of any rank above the clocks' error; of all ranks if there is none. */
export function mostLate(ranks: readonly RankLateness[]): number {
  return Math.max(0, ...ranks.flatMap((rank) => rank.late_us.map((late) => late ?? 0)));
}

/** How often the rank came last, among the steps where the clocks are exact enough. */
export function lastShare({ last_steps_beyond_error: last }: RankLateness, steps: number): string {
  return steps > 0 ? percent(last / steps) : "–";
}

/** The rank that is late most often, in a sentence; none if no lateness exceeds the clocks' error. */
export function verdict({ ranks, steps }: Lateness): string {
  const often = [...ranks].sort((a, b) => b.last_steps_beyond_error - a.last_steps_beyond_error)[0];
  if (!often || steps === 0) return "";
  if (ranks.some((rank) => rank.error_us === null)) {
    return "A node's clock is not known, so lateness may be clock error.";
  }
  if (often.last_steps_beyond_error === 0) return "No rank came later than the clock error.";
  const [share, fair] = [often.last_steps_beyond_error / steps, 1 / ranks.length];
  const isMuch = ranks.length * tail(often.last_steps_beyond_error, steps, fair) < MOST_CHANCE;
  const judged = isMuch ? "That is more than chance explains" : "Chance explains that";
  return `Rank ${often.rank} on ${often.node} came last to ${percent(share)} of ${plural(steps, "iteration")}; by chance it would be ${percent(fair)}. ${judged}.`;
}

/** The probability, over all ranks, with which one of several equal ranks is called late. */
const MOST_CHANCE = 0.05;

/** The probability that something with this probability happens at least `least` times of `count`. */
export function tail(least: number, count: number, probability: number): number {
  if (probability >= 1) return 1;
  let sum = 0;
  let log = count * Math.log(1 - probability);
  for (let i = 0; i <= count; i++) {
    if (i >= least) sum += Math.exp(log);
    log += Math.log(((count - i) * probability) / ((i + 1) * (1 - probability)));
  }
  return Math.min(1, sum);
}

/** Whether some columns have no value of any rank: other rows take turns with this one. */
export function hasGaps({ ranks, after_us: columns }: Lateness): boolean {
  return columns.some((after, column) => after === null && ranks.every(({ late_us: late }) => late[column] == null));
}
