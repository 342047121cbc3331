/** How far the iterations of a row differ: from where to where a value of it goes, and the band of it in a chart. */
import type { MeasurementView } from "../../api/types";
import type { Span } from "./lines";

/** What says it of a row. */
export type Spread = Pick<MeasurementView, "time_us" | "p5_us" | "p95_us">;

/** Without a twentieth of the iterations at both ends. */
export type Ends = readonly [low: number, high: number];

/** From where to where a value of a row goes, which is a rate unless it is the time; null in rows of old versions. */
export function spreadOf(row: Spread, value: number, isTime = false): Ends | null {
  if (row.p5_us == null) return null;
  const [fast, slow] = [row.p5_us, row.p95_us].map((timeUs) => valueAt(row, value, timeUs, isTime));
  return [Math.min(fast ?? 0, slow ?? 0), Math.max(fast ?? 0, slow ?? 0)];
}

/** A value if a call had taken this long: rates are the other way round. */
export function valueAt({ time_us }: Pick<Spread, "time_us">, value: number, timeUs: number, isTime: boolean): number {
  return time_us > 0 && timeUs > 0 ? value * (isTime ? timeUs / time_us : time_us / timeUs) : value;
}

/** What is drawn behind the line of the rows; a logarithmic axis has no place for size 0. */
export function bandOf<R extends { size_bytes: number }>(rows: readonly (R | null)[], endsOf: (row: R) => Ends | null): Span[] {
  return rows.flatMap((row): Span[] => {
    const ends = row && row.size_bytes > 0 && endsOf(row);
    return ends ? [[row.size_bytes, ...ends]] : [];
  });
}
