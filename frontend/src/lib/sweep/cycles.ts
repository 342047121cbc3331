/** The rows of one algorithm at one size and place as one: what the server's comparison makes of several cycles (docs/numbers.md). */
import type { MeasurementView } from "../../api/types";

const MEANS = [
  "time_us", "time_low_us", "time_high_us", "mean_us", "p5_us", "p10_us", "p50_us", "p90_us", "p95_us", "stdev_us",
] as const satisfies readonly (keyof MeasurementView)[];

/** The times of which the cycles' mean says too little: the type checker wants each time here or in MEANS. */
type Extreme = Exclude<Extract<keyof MeasurementView, `${string}_us`>, (typeof MEANS)[number]>;

/** Iterations that differ so much that their mean says little; the same bounds as in ringscope/judging/comparison.py. */
export function isUnstable(row: Judged): boolean {
  return row.is_unstable ?? (row.cv_percent > 20 || row.p99_us > 10 * row.p50_us);
}

/** Of several cycles it is said: one of them is enough, which their means may hide. */
type Judged = Pick<MeasurementView, "cv_percent" | "p50_us" | "p99_us"> & { is_unstable?: boolean };

/** Rows by algorithm, size and place, in the order in which each came first; after a retry the latest row of a cycle counts. */
export function withoutCycles(rows: readonly MeasurementView[]): MeasurementView[] {
  const found = new Map<string, Map<number, MeasurementView>>();
  for (const row of rows) {
    const key = `${row.algorithm} ${row.size_bytes} ${row.in_place}`;
    found.set(key, (found.get(key) ?? new Map<number, MeasurementView>()).set(row.cycle, row));
  }
  return [...found.values()].map((cycles) => mean([...cycles.values()]));
}

function mean(cycles: readonly MeasurementView[]): MeasurementView & Judged {
  const last = cycles.at(-1) as MeasurementView;
  if (cycles.length === 1) return last;
  const means = Object.fromEntries(MEANS.map((name) => [name, meanOf(cycles.map((row) => row[name]))]));
  const extremes: Record<Extreme, number> = {
    min_us: Math.min(...cycles.map((row) => row.min_us)),
    p99_us: Math.max(...cycles.map((row) => row.p99_us)),
    max_us: Math.max(...cycles.map((row) => row.max_us)),
  };
  const timeUs = meanOf(cycles.map((row) => row.time_us)) ?? 0;
  const rate = timeUs > 0 ? last.time_us / timeUs : 1;
  return {
    ...last,
    ...means,
    ...extremes,
    algbw_gb_per_s: last.algbw_gb_per_s * rate,
    busbw_gb_per_s: last.busbw_gb_per_s * rate,
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

const REFERENCE_BYTES = 2 ** 20;

/** The size at which the verdict compares: the one nearest to 1 MiB, of two the smaller; 0 for none (judging/comparison.py). */
export function referenceBytes(sizesBytes: readonly number[]): number {
  const apart = (size: number): number => Math.abs(Math.log2(size / REFERENCE_BYTES));
  return sizesBytes.filter((size) => size > 0).sort((a, b) => apart(a) - apart(b) || a - b)[0] ?? 0;
}

/** The rows that the verdict compares, the fastest first: out of place, at its size. */
export function comparedRows(rows: readonly MeasurementView[]): MeasurementView[] {
  const size = referenceBytes(rows.map((row) => row.size_bytes));
  return withoutCycles(rows.filter((row) => row.size_bytes === size && !row.in_place)).sort((a, b) => a.time_us - b.time_us);
}
