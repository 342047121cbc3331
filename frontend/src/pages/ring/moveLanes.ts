/** Messages in time, a lane for each rank: its sending, receiving and adding. The geometry, without SVG. */
import type { Move, Run } from "../../lib/moves";
import { AXIS_PX, LEFT_PX, type Tick, timeAxis } from "../../charts/lanes";

const MODEL_PX = 24;
export const MODEL_BAR_PX = 14;

export type Part = "send" | "receive" | "add" | "wait";

export interface LaneBar {
  key: string;
  part: Part;
  rank: number;
  step: number;
  xPx: number;
  yPx: number;
  widthPx: number;
  heightPx: number;
  isCritical: boolean;
  /** The possible error of either end, from the clocks; 0: none. */
  errorPx: number;
  /** The width that the cost model predicts; null: no prediction. */
  ghostPx: number | null;
  move: Move;
}

export interface MoveLanes {
  bars: LaneBar[];
  lanes: { rank: number; middlePx: number }[];
  ticks: Tick[];
  heightPx: number;
  /** The bar below the ranks for the model's time of the whole call; null: no prediction. */
  model: { topPx: number; widthPx: number } | null;
  /** How wide the measured time is. */
  lanesPx: number;
  /** The x of a time. */
  at: (timeUs: number) => number;
}

/** The height of a lane: less if there are many ranks. */
export function laneHeight(ranks: number): number {
  return ranks <= 8 ? 36 : ranks <= 16 ? 24 : 12;
}

/** A prediction is drawn up to this multiple of the measured time; beyond that only its number is shown. */
const MOST_PREDICTED = 2;

/** All messages on one axis of time. `critical` are those of the longest chain. */
export function moveLanes(run: Run, widthPx: number, critical: readonly Move[] = []): MoveLanes {
  const measuredUs = run.timeUs > 0 ? run.timeUs : 1;
  const untilUs = Math.max(measuredUs, Math.min(run.predictedUs ?? 0, MOST_PREDICTED * measuredUs));
  const { at, wide, ticks } = timeAxis(untilUs, widthPx);
  const lanePx = laneHeight(run.ranks);
  const onPath = new Set(critical);
  const bars = run.steps.flat().flatMap((move, i): LaneBar[] => {
    const bar = (part: Part, rank: number, fromUs: number, toUs: number): LaneBar => ({
      key: `${i} ${part}`,
      part,
      rank,
      step: move.step,
      xPx: at(fromUs),
      yPx: rank * lanePx + lanePx * (part === "send" ? 0.12 : 0.52),
      widthPx: Math.max(1, at(toUs) - at(fromUs)),
      heightPx: lanePx * 0.36,
      isCritical: onPath.has(move),
      errorPx: wide(move.errorUs),
      ghostPx: part === "send" && move.predictedUs !== null ? wide(move.predictedUs) : null,
      move,
    });
    const adds = move.reduce && move.endUs > move.addingUs;
    return [
      ...(move.waitUs !== null && move.waitUs < move.startUs ? [bar("wait", move.dst, move.waitUs, move.startUs)] : []),
      bar("send", move.src, move.startUs, move.arrivedUs),
      bar("receive", move.dst, move.startUs, move.arrivedUs),
      ...(adds ? [bar("add", move.dst, move.addingUs, move.endUs)] : []),
    ];
  });
  const ranksPx = run.ranks * lanePx;
  const model = run.predictedUs === null ? null : { topPx: ranksPx + 6, widthPx: wide(Math.min(run.predictedUs, untilUs)) };
  return {
    bars,
    model,
    lanesPx: wide(measuredUs),
    lanes: Array.from({ length: run.ranks }, (_, rank) => ({ rank, middlePx: (rank + 0.5) * lanePx })),
    ticks,
    heightPx: ranksPx + (model ? MODEL_PX : 0) + AXIS_PX,
    at,
  };
}

/** All of them as one SVG path: there may be thousands. */
export function barPath(bars: readonly LaneBar[]): string {
  return bars.map(({ xPx, yPx, widthPx, heightPx }) => box(xPx, yPx, widthPx, heightPx)).join("");
}

/** The model's prediction for each message, beside its measurement. */
export function ghostPath(bars: readonly LaneBar[]): string {
  return bars.map(({ xPx, yPx, heightPx, ghostPx }) => (ghostPx === null ? "" : box(xPx, yPx, ghostPx, heightPx))).join("");
}

const LEAST_ERROR_PX = 0.5;

/** The possible error of each; left out if too small to see, or as wide as all lanes, which words must then say. */
export function whiskerPath(bars: readonly LaneBar[], lanesPx: number): string {
  return bars
    .filter((bar) => bar.part === "send" && bar.errorPx > LEAST_ERROR_PX && bar.errorPx < lanesPx)
    .map(({ xPx, yPx, heightPx, errorPx }) => `M${px(Math.max(LEFT_PX, xPx - errorPx))} ${px(yPx + heightPx / 2)}H${px(xPx + errorPx)}`)
    .join("");
}

function box(x: number, y: number, width: number, height: number): string {
  return `M${px(x)} ${px(y)}h${px(width)}v${px(height)}h${px(-width)}z`;
}

function px(value: number): string {
  return value.toFixed(1);
}
