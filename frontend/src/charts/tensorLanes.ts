/** One step of divided layers as lanes, one per rank: computing and sums take turns. The geometry, without SVG. */
import type { RankBuckets } from "../api/types";
import { lastUs } from "./bucketLanes";
import { type LanePicture, lanePicture, timeAxis } from "./lanes";

export interface TurnBar {
  /** A sum in one of the two passes, or what the rank computes between two sums. */
  kind: "compute" | "forward" | "backward";
  /** The layer of a sum. */
  layer: string;
  bytes: number;
  startPx: number;
  endPx: number;
}

export interface TensorLane {
  rank: number;
  /** The y of the lane's top. */
  topPx: number;
  bars: TurnBar[];
}

/** All ranks on one axis of time, each from the start of its own step. */
export function tensorLanes(ranks: readonly RankBuckets[], widthPx: number): LanePicture<TensorLane> {
  const { at, ticks } = timeAxis(lastUs(ranks), widthPx);
  return lanePicture(ranks, ticks, (rank, topPx) => ({ rank: rank.rank, topPx, bars: barsOf(rank, at) }));
}

function barsOf(rank: RankBuckets, at: (timeUs: number) => number): TurnBar[] {
  let sinceUs = 0;
  const compute = (untilUs: number): TurnBar => ({ kind: "compute", layer: "", bytes: 0, startPx: at(sinceUs), endPx: at(untilUs) });
  const bars = rank.buckets.flatMap(({ layer, direction, bytes, start_us: startUs, end_us: endUs }) => {
    const computed = compute(startUs);
    sinceUs = endUs;
    return [computed, { kind: direction ?? "forward", layer: layer ?? "", bytes, startPx: at(startUs), endPx: at(endUs) }];
  });
  return [...bars, compute(Math.max(sinceUs, rank.backward_us))];
}

/** The share of a rank's forward and backward in which it waited for sums. */
export function sumShare(ranks: readonly RankBuckets[]): number {
  const all = ranks.reduce((sum, rank) => sum + rank.backward_us, 0);
  const summing = ranks.flatMap((rank) => rank.buckets).reduce((sum, { start_us, end_us }) => sum + end_us - start_us, 0);
  return all > 0 ? summing / all : 0;
}
