/** The timeline within one step as lanes, one per rank: the geometry, without SVG. */
import type { RankBuckets } from "../api/types";

export const LANE_PX = 40;
export const BAR_PX = 13;
/** Room for the names of the ranks, and for the last tick's label. */
export const LEFT_PX = 64;
export const RIGHT_PX = 24;
export const AXIS_PX = 26;

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

export interface Lane {
  rank: number;
  step: number;
  /** The y of the lane's top. */
  topPx: number;
  backwardEndPx: number;
  sums: SumBar[];
}

export interface Lanes {
  lanes: Lane[];
  heightPx: number;
  ticks: { px: number; timeUs: number }[];
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
export function bucketLanes(ranks: readonly RankBuckets[], widthPx: number, summed: Summed = "gradients"): Lanes {
  const untilUs = lastUs(ranks) || 1;
  const room = Math.max(1, widthPx - LEFT_PX - RIGHT_PX);
  const at = (timeUs: number): number => LEFT_PX + (room * timeUs) / untilUs;
  const lanes = ranks.map((rank, index): Lane => ({
    rank: rank.rank,
    step: rank.step,
    topPx: index * LANE_PX,
    backwardEndPx: at(rank.backward_us),
    sums: rank.buckets.map((bucket, i) => ({
      ...bucketOf(rank, i, summed),
      bytes: bucket.bytes,
      readyPx: at(bucket.ready_us),
      startPx: at(bucket.start_us),
      endPx: at(bucket.end_us),
    })),
  }));
  const heightPx = ranks.length * LANE_PX + AXIS_PX;
  return { lanes, heightPx, ticks: niceTicks(untilUs, room).map((timeUs) => ({ px: at(timeUs), timeUs })) };
}

const TICK_PX = 90;
/** For phones: with fewer than three parts a round one might not fit once, and the axis would have no scale. */
const NARROW_TICK_PX = 60;
const NARROW_PARTS = 3;

/** Round times from 0, as many as labels fit. */
export function niceTicks(untilUs: number, widthPx: number): number[] {
  const narrow = Math.min(NARROW_PARTS, Math.floor(widthPx / NARROW_TICK_PX));
  const most = Math.max(1, narrow, Math.floor(widthPx / TICK_PX));
  const decade = 10 ** Math.floor(Math.log10(untilUs / most));
  const step = [1, 2, 5, 10].map((factor) => factor * decade).find((size) => untilUs / size <= most) ?? 10 * decade;
  return Array.from({ length: Math.floor(untilUs / step + 1e-9) + 1 }, (_, i) => i * step);
}

/** From the rank's first all-reduce to its end: how much communication was hidden behind backward, in µs. */
export function overlapUs(rank: RankBuckets): number {
  return rank.buckets.reduce((sum, { start_us, end_us }) => sum + Math.max(0, Math.min(end_us, rank.backward_us) - start_us), 0);
}
