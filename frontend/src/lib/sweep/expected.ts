/** How a job's best bandwidth compares with what this cluster should reach. Pure. */
import type { AlgorithmBest, JobPrediction } from "../../api/types";
import { plural, threeDigits } from "../format";

export interface Expected {
  /** The best bandwidth as a share of the expected one. */
  share: number;
  /** Whether it is below all earlier runs; null: only runs of the same shape can tell. */
  isLow: boolean | null;
  /** What the share is of. */
  note: string;
}

/**
 * The best bandwidth against earlier runs of the same row, else against a model that was fitted to this machine, else
 * against the limit of the slowest link; null if none of them is known.
 */
export function expectedOf(best: AlgorithmBest, { baseline, model, limit }: JobPrediction): Expected | null {
  const { algorithm, size_bytes: size, in_place: inPlace, busbw_gb_per_s: busbw } = best;
  const earlier = baseline.find((row) => row.algorithm === algorithm && row.size_bytes === size && row.in_place === inPlace);
  if (earlier) {
    const { median_gb_per_s: median, least_gb_per_s: least, runs } = earlier;
    return { share: busbw / median, isLow: busbw < least, note: `of ${threeDigits(median)} GB/s, median of ${plural(runs, "earlier run")}` };
  }
  const row = model?.median_error == null ? undefined : model.rows.find((one) => one.algorithm === algorithm && one.size_bytes === size);
  if (row && row.busbw_gb_per_s > 0) {
    return { share: busbw / row.busbw_gb_per_s, isLow: null, note: `of ${threeDigits(row.busbw_gb_per_s)} GB/s, the fitted model` };
  }
  if (limit) return { share: busbw / limit.busbw_gb_per_s, isLow: null, note: `of ${threeDigits(limit.busbw_gb_per_s)} GB/s, the link\u2019s limit` };
  return null;
}
