/** The spread of a row's iterations: the range of a value, and the band of it in a chart. */
import type { MeasurementView } from "../../api/types";
import type { Span } from "./lines";

/** The columns that give the spread. */
export type Spread = Pick<MeasurementView, "time_us" | "p5_us" | "p95_us">;

/** The ends without a twentieth of the iterations at both ends. */
export type Ends = readonly [low: number, high: number];

/** The range of a row's value, which is a rate unless it is the time; null in rows of old versions. */
export function spreadOf(row: Spread, value: number, isTime = false): Ends | null {
  if (row.p5_us == null) return null;
  const [fast, slow] = [row.p5_us, row.p95_us].map((timeUs) => valueAt(row, value, timeUs, isTime));
  return [Math.min(fast ?? 0, slow ?? 0), Math.max(fast ?? 0, slow ?? 0)];
}

/** The value if a call had taken this long: a rate falls as the time grows. */
export function valueAt({ time_us }: Pick<Spread, "time_us">, value: number, timeUs: number, isTime: boolean): number {
  return time_us > 0 && timeUs > 0 ? value * (isTime ? timeUs / time_us : time_us / timeUs) : value;
}

/** The band behind the line of the rows; a logarithmic axis cannot show size 0. */
export function bandOf<R extends { size_bytes: number }>(rows: readonly (R | null)[], endsOf: (row: R) => Ends | null): Span[] {
  return rows.flatMap((row): Span[] => {
    const ends = row && row.size_bytes > 0 && endsOf(row);
    return ends ? [[row.size_bytes, ...ends]] : [];
  });
}
