/** The timeline within one step as lanes, one per rank: the geometry, without SVG. */
import type { RankBuckets } from "../api/types";
import { type LanePicture, lanePicture, timeAxis } from "./lanes";

/**
 * What the buckets of a strategy hold: gradients, gradients whose sum a rank has in shares (sharded), or the parameters
 * that local SGD averages.
 */
export type Summed = "gradients" | "shares" | "parameters";

export function summedOf(strategy: string | undefined): Summed {
  if (strategy === "sharded") return "shares";
  return strategy === "local_sgd" ? "parameters" : "gradients";
}

export interface SumBar {
  /** From 0, in the order in which they were summed. */
  bucket: number;
  /** The all-gather of the bucket's parameters after the update, not the sum of its gradients. */
  isGather: boolean;
  bytes: number;
  readyPx: number;
  startPx: number;
  endPx: number;
}

export interface BucketLane {
  rank: number;
  step: number;
  /** The y of the lane's top. */
  topPx: number;
  backwardEndPx: number;
  sums: SumBar[];
}

/** The end of the slowest rank's step, as far as it was reported; 0 without ranks. */
export function lastUs(ranks: readonly RankBuckets[]): number {
  return Math.max(0, ...ranks.flatMap((rank) => [rank.backward_us, ...rank.buckets.map((bucket) => bucket.end_us)]));
}

/** The bucket of a rank's i-th entry: with shares, the parameters of all buckets are gathered after all sums. */
export function bucketOf(rank: RankBuckets, i: number, summed: Summed): { bucket: number; isGather: boolean } {
  const sums = summed === "shares" ? rank.buckets.length / 2 : rank.buckets.length;
  return { bucket: i % sums, isGather: i >= sums };
}

/** All ranks on one axis of time, each from the start of its own step. */
export function bucketLanes(
  ranks: readonly RankBuckets[],
  widthPx: number,
  summed: Summed = "gradients",
): LanePicture<BucketLane> {
  const { at, ticks } = timeAxis(lastUs(ranks), widthPx);
  return lanePicture(ranks, ticks, (rank, topPx) => ({
    rank: rank.rank,
    step: rank.step,
    topPx,
    backwardEndPx: at(rank.backward_us),
    sums: rank.buckets.map((bucket, i) => ({
      ...bucketOf(rank, i, summed),
      bytes: bucket.bytes,
      readyPx: at(bucket.ready_us),
      startPx: at(bucket.start_us),
      endPx: at(bucket.end_us),
    })),
  }));
}

/** From the rank's first all-reduce to its end: how much communication was hidden behind backward, in µs. */
export function overlapUs(rank: RankBuckets): number {
  return rank.buckets.reduce((sum, { start_us, end_us }) => sum + Math.max(0, Math.min(end_us, rank.backward_us) - start_us), 0);
}
