/** A sweep's rows as aligned columns for a chart: one x per message size, one series per algorithm and buffer use. */
import type { MeasurementView } from "../api/types";
import type { Metric } from "../lib/search";

export type Place = "out" | "in" | "both";

export interface Series {
  algorithm: string;
  inPlace: boolean;
  /** The row of each size; null where there is none yet. */
  rows: (MeasurementView | null)[];
}

export interface Sweep {
  sizes: number[];
  series: Series[];
}

const FIELDS = { busbw: "busbw_gb_per_s", algbw: "algbw_gb_per_s", time: "time_us" } as const;
export const METRIC_UNITS: Record<Metric, string> = { busbw: "GB/s", algbw: "GB/s", time: "µs" };
export const METRIC_NAMES: Record<Metric, string> = {
  busbw: "Bus bandwidth",
  algbw: "Algorithm bandwidth",
  time: "Time",
};

export function metricOf(row: MeasurementView, metric: Metric): number {
  return row[FIELDS[metric]];
}

/** Rows by size in the order of `algorithms`; after a retry the latest row of a size counts. */
export function alignRows(rows: readonly MeasurementView[], algorithms: readonly string[], place: Place): Sweep {
  const sizes = [...new Set(rows.map((row) => row.size_bytes))].sort((a, b) => a - b);
  const index = new Map(sizes.map((size, i) => [size, i]));
  const places = place === "both" ? [false, true] : [place === "in"];
  const series = algorithms.flatMap((algorithm) =>
    places.map((inPlace): Series => ({ algorithm, inPlace, rows: sizes.map(() => null) })),
  );
  for (const row of rows) {
    const target = series.find((item) => item.algorithm === row.algorithm && item.inPlace === row.in_place);
    const i = index.get(row.size_bytes);
    if (target && i !== undefined) target.rows[i] = row;
  }
  return { sizes, series };
}

/** The row of the best bus bandwidth of a series, or null without rows. */
export function bestRow(series: Series): MeasurementView | null {
  return series.rows.reduce<MeasurementView | null>(
    (best, row) => (row && row.busbw_gb_per_s > (best?.busbw_gb_per_s ?? -1) ? row : best),
    null,
  );
}
