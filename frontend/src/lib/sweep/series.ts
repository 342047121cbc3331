/** A sweep's rows as aligned columns for a chart: one x per message size, one series per algorithm and buffer use. */
import type { MeasurementView } from "../../api/types";
import { isUnstable, withoutCycles } from "./cycles";
import type { Metric, Statistic } from "../search/search";
import { colourToken, dashOf, widthOf } from "./style";
import type { SizeLine } from "./lines";
import { bandOf, type Ends, spreadOf, valueAt } from "./spread";

export type Buffers = "out" | "in" | "both";

export interface Series {
  algorithm: string;
  inPlace: boolean;
  /** The row of each size; null if there is none yet. */
  rows: (MeasurementView | null)[];
}

export interface Sweep {
  sizes: number[];
  series: Series[];
}

const FIELDS = { busbw: "busbw_gb_per_s", algbw: "algbw_gb_per_s", time: "time_us", limit: "busbw_gb_per_s" } as const;
export const METRIC_UNITS: Record<Metric, string> = { busbw: "GB/s", algbw: "GB/s", time: "µs", limit: "%" };
export const METRIC_NAMES: Record<Metric, string> = {
  busbw: "Bus bandwidth",
  algbw: "Algorithm bandwidth",
  time: "Time",
  limit: "Share of the limit",
};

/** A row's values, measured or predicted; for the share of the limit, the limit in GB/s. */
export type Figures = Pick<MeasurementView, "busbw_gb_per_s" | "algbw_gb_per_s" | "time_us">;

export function metricOf(row: Figures, metric: Metric, limit = 100): number {
  const value = row[FIELDS[metric]];
  return metric === "limit" ? (100 * value) / limit : value;
}

/** The metric of a chart, and its statistic. */
export interface Shown {
  metric: Metric;
  /** Mean of the iterations, which nccl-tests, the verdict and the best values take, or their median. */
  statistic: Statistic;
  /** The bus bandwidth that the links allow, in GB/s. */
  limit?: number | undefined;
}

export const STATISTIC_NAMES: Record<Statistic, string> = { mean: "mean", median: "median" };

export function valueOf(row: MeasurementView, shown: Shown): number {
  return inStatistic(row, metricOf(row, shown.metric, shown.limit), shown);
}

/** A row's mean, or that value by its median, as the statistic says. */
export function inStatistic(row: Pick<MeasurementView, "time_us" | "p50_us">, mean: number, { metric, statistic }: Shown): number {
  return statistic === "mean" ? mean : valueAt(row, mean, row.p50_us, metric === "time");
}

/** The range of a metric without a twentieth of the iterations at both ends; null in rows of old versions. */
export function spanOf(row: MeasurementView, metric: Metric, limit?: number): Ends | null {
  return spreadOf(row, metricOf(row, metric, limit), metric === "time");
}

/** The lines of a sweep as a chart draws them; a line in place is named only if its out-of-place line is not shown. */
export function sweepLines({ sizes, series }: Sweep, shown: Shown, hasBands = true): SizeLine[] {
  return series.map(({ algorithm, inPlace, rows }) => ({
    name: algorithm,
    colour: colourToken(algorithm),
    dash: dashOf(algorithm),
    width: widthOf(inPlace),
    mark: inPlace ? "filled" : "open",
    isNamed: !inPlace || !series.some((other) => other.algorithm === algorithm && !other.inPlace),
    points: sizes.map((size, i) => [size, rows[i] ? valueOf(rows[i], shown) : null] as const),
    band: hasBands ? bandOf(rows, (row) => spanOf(row, shown.metric, shown.limit)) : [],
    unstable: rows.flatMap((row) => (row && isUnstable(row) ? [row.size_bytes] : [])),
  }));
}

/** Whether every value of some lines is unstable: a mark on each would tell none apart. */
export function areAllUnstable(lines: readonly SizeLine[]): boolean {
  const measured = lines.flatMap(({ points, unstable = [] }) =>
    points.flatMap(([size, value]) => (value === null ? [] : [unstable.includes(size)])),
  );
  return measured.length > 1 && measured.every(Boolean);
}

/** Rows by size in the order of `algorithms`, several cycles as one. */
export function alignRows(rows: readonly MeasurementView[], algorithms: readonly string[], place: Buffers): Sweep {
  const sizes = [...new Set(rows.map((row) => row.size_bytes))].sort((a, b) => a - b);
  const index = new Map(sizes.map((size, i) => [size, i]));
  const places = place === "both" ? [false, true] : [place === "in"];
  const series = algorithms.flatMap((algorithm) =>
    places.map((inPlace): Series => ({ algorithm, inPlace, rows: sizes.map(() => null) })),
  );
  for (const row of withoutCycles(rows)) {
    const target = series.find((item) => item.algorithm === row.algorithm && item.inPlace === row.in_place);
    const i = index.get(row.size_bytes);
    if (target && i !== undefined) target.rows[i] = row;
  }
  return { sizes, series };
}

/** The best row of a series by what is shown: the smallest for times; null without rows. */
export function bestRow(series: Series, shown: Shown): MeasurementView | null {
  const sign = shown.metric === "time" ? -1 : 1;
  return series.rows.reduce<MeasurementView | null>(
    (best, row) => (row && (!best || sign * (valueOf(row, shown) - valueOf(best, shown)) > 0) ? row : best),
    null,
  );
}
