/** One step of a pipeline as lanes, one per rank: the geometry, without SVG. */
import type { PipelineStep } from "../api/types";
import { AXIS_PX, LANE_PX, LEFT_PX, niceTicks, RIGHT_PX } from "./bucketLanes";

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

export interface StageLanes {
  lanes: StageLane[];
  heightPx: number;
  ticks: { px: number; timeUs: number }[];
}

/** The time at which each rank's step began, in µs after the first one; 0 for ranks that reported different steps. */
function offsetsUs(ranks: readonly PipelineStep[]): number[] {
  const isOneStep = new Set(ranks.map((rank) => rank.step)).size === 1;
  const firstNs = Math.min(...ranks.map((rank) => rank.start_ns));
  return ranks.map((rank) => (isOneStep ? (rank.start_ns - firstNs) / 1000 : 0));
}

/** All ranks on one axis of time, by the clocks of their nodes. */
export function pipelineLanes(ranks: readonly PipelineStep[], widthPx: number): StageLanes {
  const offsets = offsetsUs(ranks);
  const untilUs = Math.max(0, ...ranks.map((rank, index) => (offsets[index] ?? 0) + Math.max(0, ...rank.end_us))) || 1;
  const room = Math.max(1, widthPx - LEFT_PX - RIGHT_PX);
  const at = (timeUs: number): number => LEFT_PX + (room * timeUs) / untilUs;
  const lanes = ranks.map((rank, index): StageLane => ({
    rank: rank.rank,
    stage: rank.stage,
    topPx: index * LANE_PX,
    bars: rank.kind.map((kind, i) => ({
      kind,
      part: rank.part[i] ?? 0,
      microBatch: rank.micro_batch[i] ?? 0,
      startPx: at((offsets[index] ?? 0) + (rank.start_us[i] ?? 0)),
      endPx: at((offsets[index] ?? 0) + (rank.end_us[i] ?? 0)),
    })),
  }));
  const ticks = niceTicks(untilUs, room).map((timeUs) => ({ px: at(timeUs), timeUs }));
  return { lanes, heightPx: ranks.length * LANE_PX + AXIS_PX, ticks };
}

/** The time of all activities of a kind, in µs. */
export function totalUs(rank: PipelineStep, kind: Activity): number {
  return rank.kind.reduce((sum, each, i) => (each === kind ? sum + (rank.end_us[i] ?? 0) - (rank.start_us[i] ?? 0) : sum), 0);
}
