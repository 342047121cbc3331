/** One step of a pipeline as lanes, one per rank: the geometry, without SVG. */
import type { PipelineStep } from "../api/types";
import { type LanePicture, lanePicture, timeAxis } from "./lanes";

export type Activity = PipelineStep["kind"][number];

export interface ActivityBar {
  kind: Activity;
  part: number;
  microBatch: number;
  startPx: number;
  endPx: number;
}

export interface StageLane {
  rank: number;
  stage: number;
  /** The y of the lane's top. */
  topPx: number;
  bars: ActivityBar[];
}

/** The time at which each rank's step began, in µs after the first one; 0 for ranks that reported different steps. */
function offsetsUs(ranks: readonly PipelineStep[]): number[] {
  const isOneStep = new Set(ranks.map((rank) => rank.step)).size === 1;
  const firstNs = Math.min(...ranks.map((rank) => rank.start_ns));
  return ranks.map((rank) => (isOneStep ? (rank.start_ns - firstNs) / 1000 : 0));
}

/** All ranks on one axis of time, by the clocks of their nodes. */
export function pipelineLanes(ranks: readonly PipelineStep[], widthPx: number): LanePicture<StageLane> {
  const offsets = offsetsUs(ranks);
  const ends = ranks.map((rank, index) => (offsets[index] ?? 0) + Math.max(0, ...rank.end_us));
  const { at, ticks } = timeAxis(Math.max(0, ...ends), widthPx);
  return lanePicture(ranks, ticks, (rank, topPx, index) => ({
    rank: rank.rank,
    stage: rank.stage,
    topPx,
    bars: rank.kind.map((kind, i) => ({
      kind,
      part: rank.part[i] ?? 0,
      microBatch: rank.micro_batch[i] ?? 0,
      startPx: at((offsets[index] ?? 0) + (rank.start_us[i] ?? 0)),
      endPx: at((offsets[index] ?? 0) + (rank.end_us[i] ?? 0)),
    })),
  }));
}

/** The time of all activities of a kind, in µs. */
export function totalUs(rank: PipelineStep, kind: Activity): number {
  return rank.kind.reduce((sum, each, i) => (each === kind ? sum + (rank.end_us[i] ?? 0) - (rank.start_us[i] ?? 0) : sum), 0);
}
