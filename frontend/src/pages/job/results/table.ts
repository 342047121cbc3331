/** Rows of a sweep paired by size, as nccl-tests prints them: out of place beside in place. */
import type { MeasurementView } from "../../../api/types";
import { withoutCycles } from "../../../lib/sweep/cycles";

export interface SizeRow {
  sizeBytes: number;
  count: number;
  dtype: string;
  op: string;
  transport: string;
  outOfPlace: MeasurementView | null;
  inPlace: MeasurementView | null;
}

/** The algorithm that auto chose for one row, and why. */
export interface Taken {
  id: number;
  sizeBytes: number;
  place: "out of place" | "in place";
  algorithm: string;
  because: string;
}

/** The choices of auto in the order of the table; none if the job names its algorithms. */
export function choices(items: readonly SizeRow[]): Taken[] {
  return items.flatMap(({ sizeBytes, outOfPlace, inPlace }) =>
    [outOfPlace, inPlace].flatMap((row): Taken[] => {
      if (!row?.chosen_algorithm) return [];
      const place = row.in_place ? "in place" : "out of place";
      return [{ id: row.id, sizeBytes, place, algorithm: row.chosen_algorithm, because: row.chosen_because ?? "" }];
    }),
  );
}

/** The sizes of one algorithm, ascending, several cycles as one. */
export function sizeRows(rows: readonly MeasurementView[], algorithm: string): SizeRow[] {
  const bySize = new Map<number, SizeRow>();
  for (const row of withoutCycles(rows.filter((one) => one.algorithm === algorithm))) {
    const { size_bytes: sizeBytes, count, dtype, op, transport } = row;
    const old = bySize.get(sizeBytes) ?? { sizeBytes, count, dtype, op, transport, outOfPlace: null, inPlace: null };
    bySize.set(sizeBytes, { ...old, [row.in_place ? "inPlace" : "outOfPlace"]: row });
  }
  return [...bySize.values()].sort((a, b) => a.sizeBytes - b.sizeBytes);
}
