/** Percentiles of a sweep's rows, and the curve of one row's iterations. */
import type { LatencyCurve, MeasurementView } from "../../api/types";
import { isUnstable } from "./cycles";
import type { SizeLine } from "./lines";

/** The percentiles of a row, from the median to the slowest. */
export const PERCENTILES = [
  ["p50", "p50_us", "--job-2", []],
  ["p90", "p90_us", "--job-0", [7, 3]],
  ["p99", "p99_us", "--job-1", [2, 3]],
  ["max", "max_us", "--job-3", [10, 3, 2, 3]],
] as const satisfies readonly (readonly [string, keyof MeasurementView, string, readonly number[]])[];

/** A line over size for each percentile. */
export function percentileLines(rows: readonly MeasurementView[]): SizeLine[] {
  return PERCENTILES.map(([name, field, colour, dash]) => ({
    name,
    colour,
    dash,
    width: 2,
    mark: "open",
    isNamed: true,
    points: rows.map((row) => [row.size_bytes, row[field] ?? null] as const),
    // Marked once, as all four are of the same iterations.
    unstable: field === "p50_us" ? rows.filter(isUnstable).map((row) => row.size_bytes) : [],
  }));
}

/** The position of a share on the axis: by how many iterations there are for each slower one, so that 99 % is at 100. */
export function rarity(share: number, count: number): number {
  return share >= 1 ? 2 * count : Math.min(2 * count, 1 / (1 - share));
}

/** The curve as columns for a chart. */
export function curveColumns({ points, count }: LatencyCurve): [number[], number[]] {
  return [points.map((point) => rarity(point.share, count)), points.map((point) => point.time_us)];
}

/** "50 %", "99.9 %", "99.99 %": with as many digits as necessary. */
export function shareText(share: number): string {
  const percent = 100 * share;
  const isWhole = Math.abs(percent - Math.round(percent)) < 1e-9;
  const digits = isWhole ? 0 : Math.max(1, Math.ceil(-Math.log10(1 - share) - 1e-9) - 2);
  return `${percent.toFixed(digits)} %`;
}
