/** Lanes of ranks on one axis of time: the sizes and the axis that all such pictures share. */

export const LANE_PX = 40;
export const BAR_PX = 13;
/** Room for the names of the ranks, and for the last tick's label. */
export const LEFT_PX = 64;
export const RIGHT_PX = 28;
export const AXIS_PX = 26;

export interface Tick {
  px: number;
  timeUs: number;
}

/** A picture of lanes, one below the other, over an axis of time. */
export interface LanePicture<Lane> {
  lanes: Lane[];
  heightPx: number;
  ticks: Tick[];
}

export interface TimeAxis {
  /** The x of a time in µs. */
  at: (timeUs: number) => number;
  /** The width of a duration in µs. */
  wide: (durationUs: number) => number;
  ticks: Tick[];
}

/** The axis from 0 to a time, in a picture as wide as `widthPx`. */
export function timeAxis(untilUs: number, widthPx: number): TimeAxis {
  const until = untilUs || 1;
  const room = Math.max(1, widthPx - LEFT_PX - RIGHT_PX);
  const wide = (durationUs: number): number => (room * durationUs) / until;
  const at = (timeUs: number): number => LEFT_PX + wide(timeUs);
  return { at, wide, ticks: niceTicks(until, room).map((timeUs) => ({ px: at(timeUs), timeUs })) };
}

/** The picture of all ranks; `laneOf` draws the lane of one at the y of its top. */
export function lanePicture<Rank, Lane>(
  ranks: readonly Rank[],
  ticks: Tick[],
  laneOf: (rank: Rank, topPx: number, index: number) => Lane,
): LanePicture<Lane> {
  return {
    lanes: ranks.map((rank, index) => laneOf(rank, index * LANE_PX, index)),
    heightPx: ranks.length * LANE_PX + AXIS_PX,
    ticks,
  };
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
