/** Rows of a sweep paired by size, as nccl-tests prints them: out of place beside in place. */
import type { MeasurementView } from "../api/types";

export interface SizeRow {
  sizeBytes: number;
  count: number;
  dtype: string;
  op: string;
  transport: string;
  outOfPlace: MeasurementView | null;
  inPlace: MeasurementView | null;
}

/** The sizes of one algorithm, ascending; after a retry the latest row of a size counts. */
export function sizeRows(rows: readonly MeasurementView[], algorithm: string): SizeRow[] {
  const bySize = new Map<number, SizeRow>();
  for (const row of rows) {
    if (row.algorithm !== algorithm) continue;
    const { size_bytes: sizeBytes, count, dtype, op, transport } = row;
    const old = bySize.get(sizeBytes) ?? { sizeBytes, count, dtype, op, transport, outOfPlace: null, inPlace: null };
    bySize.set(sizeBytes, { ...old, [row.in_place ? "inPlace" : "outOfPlace"]: row });
  }
  return [...bySize.values()].sort((a, b) => a.sizeBytes - b.sizeBytes);
}
