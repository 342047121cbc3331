/** The sizes and shapes that the planner's charts ask for, and the lines that they make of the answers. Pure. */
import type { MeasurementView, PriceCell, Price } from "../api/types";
import { SIMULATED, toCsv } from "./csv";

const LARGEST_USUAL = 2 ** 30;
const MOST_RANKS = 32;
const MAP_SIZES = 7;

/** Sizes for a curve: powers of four from 256 B to 1 GiB or beyond the chosen size, and that one. */
export function curveSizes(sizeBytes: number): number[] {
  return withSize(powers(8, 2, Math.max(LARGEST_USUAL, sizeBytes)), sizeBytes);
}

/** Sizes for the winner map, each sixteen times the previous one: fewer, as each is asked for on many shapes. */
export function mapSizes(sizeBytes: number): number[] {
  const largest = Math.floor(Math.log2(Math.max(LARGEST_USUAL, sizeBytes)));
  return withSize(Array.from({ length: MAP_SIZES }, (_, i) => 2 ** (largest - 4 * i)), sizeBytes);
}

/** The same nodes in other numbers, doubling: "4x8" gives 1x8, 2x8, 4x8; racks stay as they are. */
export function mapShapes(shape: string): string[] {
  const numbers = shape.split("x").map(Number);
  const ranks = numbers.reduce((product, number) => product * number, 1);
  if (numbers.length > 2 || !numbers.every((number) => Number.isInteger(number) && number > 0)) return [shape];
  const [count = 1, perNode] = numbers;
  const most = Math.max(2, Math.floor(MOST_RANKS / (perNode ?? 1)));
  const counts = new Set(powers(perNode === undefined ? 1 : 0, 1, most));
  if (ranks <= 2 * MOST_RANKS) counts.add(count);
  return [...counts].sort((a, b) => a - b).map((number) => (perNode === undefined ? String(number) : `${number}x${perNode}`));
}

function powers(first: number, step: number, most: number): number[] {
  const found = [2 ** first];
  for (let exponent = first + step; 2 ** exponent <= most; exponent += step) found.push(2 ** exponent);
  return found;
}

function withSize(sizes: readonly number[], sizeBytes: number): number[] {
  return [...new Set([...sizes, sizeBytes])].sort((a, b) => a - b);
}

export type PlanMetric = "time" | "busbw";

export interface PriceLine {
  algorithm: string;
  /** One value for each x; null if there is no price, or none that an axis can show. */
  values: (number | null)[];
}

export interface PriceColumns {
  x: number[];
  lines: PriceLine[];
}

/** One line for each algorithm over size or ranks: µs, or GB/s. */
export function priceColumns(cells: readonly PriceCell[], x: "size_bytes" | "ranks", metric: PlanMetric): PriceColumns {
  const sorted = [...cells].sort((a, b) => a[x] - b[x]);
  const names = [...new Set(sorted.flatMap((cell) => cell.results.map((price) => price.algorithm)))];
  return {
    x: sorted.map((cell) => cell[x]),
    lines: names.map((algorithm) => ({
      algorithm,
      values: sorted.map((cell) => {
        const price = cell.results.find((one) => one.algorithm === algorithm);
        return price && price.time_s > 0 ? valueOf(price, metric) : null;
      }),
    })),
  };
}

/** Collectives that only collect move half of what a bus bandwidth counts. */
function valueOf(price: Price, metric: PlanMetric): number | null {
  return metric === "time" ? price.time_s * 1e6 : price.is_whole ? price.busbw_gb_per_s : null;
}

/** A job's medians out of place, for the drawn algorithms and ranks; a later row of a size replaces an earlier one. */
export function measuredColumns(
  rows: readonly MeasurementView[], collective: string, algorithms: readonly string[], ranks: number, metric: PlanMetric,
): PriceColumns {
  const fitting = rows.filter(
    (row) => row.collective === collective && row.ranks === ranks && !row.in_place && algorithms.includes(row.algorithm) && row.p50_us > 0,
  );
  const x = [...new Set(fitting.map((row) => row.size_bytes))].filter((size) => size > 0).sort((a, b) => a - b);
  const names = algorithms.filter((name) => fitting.some((row) => row.algorithm === name));
  return {
    x,
    lines: names.map((algorithm) => ({
      algorithm,
      values: x.map((size) => {
        const row = fitting.findLast((one) => one.algorithm === algorithm && one.size_bytes === size);
        if (!row) return null;
        return metric === "time" ? row.p50_us : (row.busbw_gb_per_s * row.time_us) / row.p50_us;
      }),
    })),
  };
}

/** The second fastest time over the fastest; null if there is only one, or if either is only an upper bound. */
export function lead(cell: PriceCell): number | null {
  const [first, second] = cell.results.filter((price) => price.is_whole).sort((a, b) => a.time_s - b.time_s);
  return first?.time_s && second && !first.is_bound && !second.is_bound ? second.time_s / first.time_s : null;
}

/** How near two values are drawn on one line. */
const ONE_LINE = 1.01;

/** The algorithms whose lines hide each other, because their values are level everywhere; a list for each such line. */
export function hiddenLines({ lines }: PriceColumns): string[][] {
  const isLevel = (a: number | null, b: number | null): boolean =>
    a === b || (a !== null && b !== null && Math.max(a, b) <= ONE_LINE * Math.min(a, b));
  const groups: PriceLine[][] = [];
  for (const line of lines) {
    const group = groups.find(([first]) => first?.values.every((value, i) => isLevel(value, line.values[i] ?? null)));
    if (group) group.push(line);
    else groups.push([line]);
  }
  return groups.filter((group) => group.length > 1).map((group) => group.map(({ algorithm }) => algorithm));
}

/** "From 2 to 32 ranks gather grows 31-fold, ring 1.94-fold": the extremes of one size; null without two of them. */
export function growth(cells: readonly PriceCell[]): { from: PriceCell; to: PriceCell; most: Growth; least: Growth } | null {
  const sorted = cells.filter((cell) => cell.ranks > 1).sort((a, b) => a.ranks - b.ranks);
  const [from, to] = [sorted[0], sorted.at(-1)];
  if (!from || !to || from.ranks === to.ranks) return null;
  const found = to.results.flatMap(({ algorithm, time_s, is_bound }): Growth[] => {
    const before = from.results.find((price) => price.algorithm === algorithm);
    return before?.time_s && !before.is_bound && !is_bound ? [{ algorithm, times: time_s / before.time_s }] : [];
  });
  const [most, least] = [found.toSorted((a, b) => b.times - a.times)[0], found.toSorted((a, b) => a.times - b.times)[0]];
  return most && least && most !== least ? { from, to, most, least } : null;
}

export interface Growth {
  algorithm: string;
  times: number;
}

const CSV_COLUMNS = [
  "algorithm", "time_s", "is_bound", "is_whole", "algbw_gb_per_s", "busbw_gb_per_s", "source", "channels", "formula_s", "steps", "messages", "sent_bytes",
  "bytes_on_critical_path",
] as const satisfies readonly (keyof Price)[];

/** Prices to copy: nothing was measured, which the copied table must say itself. */
export function pricesCsv(prices: readonly Price[]): string {
  return toCsv(prices, CSV_COLUMNS, SIMULATED);
}
