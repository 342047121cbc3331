/** uPlot's options for prices: the model as lines, measurements as points, over message size or ranks. */
import uPlot from "uplot";
import { digits, formatSeconds } from "../../lib/amount";
import type { PlanMetric, PriceColumns } from "../../lib/planGrid";
import { formatSize } from "../../lib/size";
import { decadeRange, decades, linearRange, sizeRange, sizeTicks } from "../../lib/sweep/axes";
import { colourToken, dashOf } from "../../lib/sweep/style";
import { token } from "../../charts/token";

export interface PriceChartSetup {
  /** The lines of the model. */
  model: PriceColumns;
  /** A job's measurements, at sizes of their own. */
  measured?: PriceColumns | undefined;
  /** The bus bandwidth that the links allow, for each x of the model; drawn if the metric is busbw. */
  limits?: readonly (number | null)[] | undefined;
  x: "size" | "ranks";
  metric: PlanMetric;
  /** The size or number of ranks under the pointer. */
  onHover: (x: number | null) => void;
}

const AXES = { time: "Time", busbw: "Bus bandwidth (GB/s)" };

/** All x together; a line has a hole (undefined) where only another one has a point. */
export function priceData({ model, measured, limits, metric }: PriceChartSetup): uPlot.AlignedData {
  const x = [...new Set([...model.x, ...(measured?.x ?? [])])].sort((a, b) => a - b);
  const spread = (from: PriceColumns | undefined, values: readonly (number | null)[]): (number | null | undefined)[] =>
    x.map((at) => {
      const i = from?.x.indexOf(at) ?? -1;
      return i < 0 ? undefined : values[i];
    });
  return [
    x,
    ...model.lines.map((line) => spread(model, line.values)),
    ...(hasLimit(metric, limits) ? [spread(model, limits ?? [])] : []),
    ...(measured?.lines ?? []).map((line) => spread(measured, line.values)),
  ] as uPlot.AlignedData;
}

function hasLimit(metric: PlanMetric, limits: PriceChartSetup["limits"]): boolean {
  return metric === "busbw" && (limits ?? []).some((limit) => limit !== null);
}

export function priceOptions(element: HTMLElement, latest: () => PriceChartSetup): uPlot.Options {
  const { model, measured, limits, x, metric } = latest();
  const font = `12px ${token(element, "--font")}`;
  const axis = {
    stroke: token(element, "--dim"), font, labelFont: font, labelSize: 20,
    grid: { stroke: token(element, "--line"), width: 1 }, ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [10, 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 8 } },
    scales: {
      x: { time: false, distr: 3, log: 2, range: (u) => sizeRange([...u.data[0]]) },
      y: metric === "time" ? { distr: 3, log: 10, range: (_, min, max) => decadeRange(min, max) } : { range: (_, __, max) => linearRange(max) },
    },
    axes: [
      {
        ...axis,
        size: 30,
        gap: 8,
        splits: (u, _, min, max) => (x === "size" ? sizeTicks(min, max, u.bbox.width / uPlot.pxRatio) : [...latest().model.x]),
        values: (_, ticks) => ticks.map((tick) => (x === "size" ? formatSize(tick) : String(tick))),
        filter: (_, ticks) => ticks,
      },
      {
        ...axis,
        size: 66,
        label: AXES[metric],
        ...(metric === "time" && { splits: (_: uPlot, __: number, min: number, max: number) => thinned(decades(min, max)) }),
        values: (_, ticks) => ticks.map((tick) => (metric === "time" ? formatSeconds(tick / 1e6) : digits(tick))),
        filter: (_, ticks) => ticks,
      },
    ],
    series: [
      {},
      ...model.lines.map(({ algorithm }): uPlot.Series => ({
        stroke: token(element, colourToken(algorithm)) || token(element, "--text"),
        width: 2.25,
        dash: [...dashOf(algorithm)],
        points: { show: false },
      })),
      ...(hasLimit(metric, limits) ? [{ stroke: token(element, "--line-strong"), width: 1.5, dash: [3, 3], points: { show: false } }] : []),
      ...(measured?.lines ?? []).map(({ algorithm }): uPlot.Series => {
        const stroke = token(element, colourToken(algorithm)) || token(element, "--text");
        return { stroke, width: 0, points: { show: true, size: 8, stroke, fill: token(element, "--surface"), width: 2 } };
      }),
    ],
    hooks: { setCursor: [(u) => latest().onHover(u.cursor.idx == null ? null : (u.data[0][u.cursor.idx] ?? null))] },
  };
}

/** At most six decades are labelled, so that labels do not touch. */
function thinned(ticks: readonly number[]): number[] {
  const every = Math.ceil(ticks.length / 6);
  return ticks.filter((_, i) => i % every === 0);
}
