/** The row of a sweep that the parts of a job's page show. */
import type { MeasurementView } from "../../api/types";
import { withoutCycles } from "../../lib/sweep/cycles";
import type { JobSearch } from "../../lib/search/search";

export interface RowOptions {
  /** The rows of one algorithm and place, ascending by size; several cycles as one. */
  rows: MeasurementView[];
  algorithm: string;
  inPlace: boolean;
  chosen: MeasurementView | null;
}

/** The row that the URL chooses, if it exists; else the first algorithm, out of place, and the largest size. */
export function rowOptions(rows: readonly MeasurementView[], algorithms: readonly string[], search: JobSearch): RowOptions {
  const algorithm = algorithms.find((name) => name === search.algorithm) ?? algorithms[0] ?? "";
  const inPlace = search.place === "in";
  const asked = rows.filter((row) => row.algorithm === algorithm && row.in_place === inPlace);
  const found = withoutCycles(asked).sort((a, b) => a.size_bytes - b.size_bytes);
  const chosen = found.find((row) => String(row.size_bytes) === search.size) ?? found.at(-1) ?? null;
  return { rows: found, algorithm, inPlace, chosen };
}
