/**
 * The rows of one algorithm at one size and place as one row, as the server merges several cycles (docs/numbers.md).
 * cycles.json has examples that the tests of both sides read.
 */
import type { MeasurementView } from "../../api/types";

const MEANS = ["time_us", "mean_us", "p5_us", "p10_us", "p50_us", "p90_us", "p95_us", "stdev_us"] as const satisfies Time[];

type Time = Extract<keyof MeasurementView, `${string}_us`>;

/** The times that are not means of the cycles. The type checker requires each time here or in MEANS. */
type Others = Record<Exclude<Time, (typeof MEANS)[number]>, number | null>;

/** Whether the iterations differ so much that their mean says little; the bounds are those of ringscope/judging/comparison.py. */
export function isUnstable(row: Judged): boolean {
  return row.is_unstable ?? (row.cv_percent > 20 || row.p99_us > 10 * row.p50_us);
}

/** `is_unstable` is set for merged cycles: one unstable cycle is enough, and the means may hide it. */
type Judged = Pick<MeasurementView, "cv_percent" | "p50_us" | "p99_us"> & { is_unstable?: boolean };

/**
 * One row for each algorithm, size and place, in the order in which they first came. Of the rows of one cycle the newest
 * counts: within an attempt each cycle has one row, but a page that stays open also has the rows of the attempt before.
 */
export function withoutCycles(rows: readonly MeasurementView[]): MeasurementView[] {
  const found = new Map<string, Map<number, MeasurementView>>();
  for (const row of rows) {
    const key = `${row.algorithm} ${row.size_bytes} ${row.in_place}`;
    found.set(key, (found.get(key) ?? new Map<number, MeasurementView>()).set(row.cycle, row));
  }
  return [...found.values()].map((cycles) => merged([...cycles.values()]));
}

function merged(cycles: readonly MeasurementView[]): MeasurementView & Judged {
  const last = cycles.at(-1) as MeasurementView;
  if (cycles.length === 1) return last;
  const means = Object.fromEntries(MEANS.map((name) => [name, meanOf(cycles.map((row) => row[name]))]));
  const others = {
    // Only the server knows the interval of several cycles: it also follows from how far the cycles differ.
    time_low_us: null,
    time_high_us: null,
    // A cycle may lack the time by the GPU's clock, whose mean would then be of other cycles than that of the host's.
    device_time_us: null,
    min_us: Math.min(...cycles.map((row) => row.min_us)),
    p99_us: Math.max(...cycles.map((row) => row.p99_us)),
    max_us: Math.max(...cycles.map((row) => row.max_us)),
  } satisfies Others;
  const timeUs = meanOf(cycles.map((row) => row.time_us)) ?? 0;
  // A cycle that was too short for the clock has no bandwidth, so the largest product counts.
  const rate = (name: "algbw_gb_per_s" | "busbw_gb_per_s"): number =>
    timeUs > 0 ? Math.max(...cycles.map((row) => row[name] * row.time_us)) / timeUs : 0;
  return {
    ...last,
    ...means,
    ...others,
    algbw_gb_per_s: rate("algbw_gb_per_s"),
    busbw_gb_per_s: rate("busbw_gb_per_s"),
    cv_percent: Math.max(...cycles.map((row) => row.cv_percent)),
    is_unstable: cycles.some(isUnstable),
    iterations: sum(cycles.map((row) => row.iterations)),
    wrong: cycles.every((row) => row.wrong === null) ? null : sum(cycles.map((row) => row.wrong ?? 0)),
  };
}

function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => value != null);
  return known.length === values.length ? sum(known) / known.length : null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
