/** uPlot's options for a sweep: colours from tokens.css, geometry from axes.ts. */
import uPlot from "uplot";
import type { Metric } from "../lib/search";
import { formatSize } from "../lib/size";
import { decadeRange, decades, linearRange, sizeRange, sizeTicks, spreadLabels } from "./axes";
import { METRIC_NAMES, METRIC_UNITS, type Series } from "./series";

const LABEL_GAP_PX = 14;
const LABEL_ROOM_PX = 56;

interface Setup {
  element: HTMLElement;
  metric: Metric;
  series: readonly Series[];
  /** Every size that the sweep will have, so that the axis stands still while it fills. */
  sizes: readonly number[];
  onHover: (index: number | null) => void;
}

/** A token's value in the current colour scheme. */
function token(element: HTMLElement, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

export function chartOptions({ element, metric, series, sizes, onHover }: Setup): uPlot.Options {
  const grid = { stroke: token(element, "--line"), width: 1 };
  const font = `12px ${token(element, "--font")}`;
  const axis = { stroke: token(element, "--dim"), font, grid, ticks: { show: false } };
  const isLog = metric === "time";
  const surface = token(element, "--surface");
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [10, LABEL_ROOM_PX, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 9, fill: (u, i) => token(u.root, lineToken(series[i - 1])) } },
    scales: {
      x: { time: false, distr: 3, log: 2, range: () => sizeRange(sizes) },
      y: isLog
        ? { distr: 3, log: 10, range: (_, min, max) => decadeRange(min, max) }
        : { range: (_, __, max) => linearRange(max) },
    },
    axes: [
      {
        ...axis,
        size: 30,
        gap: 8,
        splits: (u, _, min, max) => sizeTicks(min, max, u.bbox.width / uPlot.pxRatio),
        values: (_, ticks) => ticks.map((tick) => formatSize(tick)),
        filter: (_, ticks) => ticks,
      },
      {
        ...axis,
        size: 62,
        label: `${METRIC_NAMES[metric]} (${METRIC_UNITS[metric]})`,
        labelFont: font,
        labelSize: 20,
        ...(isLog && { splits: (_: uPlot, __: number, min: number, max: number) => decades(min, max) }),
        // Without a row the axis would count from 0 to 1 as if something had been measured.
        values: (u, ticks) =>
          ticks.map((tick) => (u.data[0].length === 0 ? "" : tick.toLocaleString("en", { maximumFractionDigits: 9 }))),
      },
    ],
    series: [
      {},
      ...series.map((item): uPlot.Series => {
        const stroke = token(element, lineToken(item));
        return {
          stroke,
          width: 2,
          ...(item.inPlace && { dash: [6, 4] }),
          points: { show: true, size: 6, stroke, fill: surface, width: 1.5 },
        };
      }),
    ],
    hooks: {
      setCursor: [(u) => onHover(u.cursor.idx ?? null)],
      draw: [(u) => drawNames(u, series, font)],
    },
  };
}

function lineToken(series: Series | undefined): string {
  return `--algorithm-${series?.algorithm ?? "ring"}`;
}

/** Each line's name at its end: colour alone never says which is which. */
function drawNames(u: uPlot, series: readonly Series[], font: string): void {
  const ends = series.flatMap(({ algorithm, inPlace }, i) => {
    if (inPlace && series.some((other) => other.algorithm === algorithm && !other.inPlace)) return [];
    const values = Array.from(u.data[i + 1] ?? []);
    const last = values.findLastIndex((value) => value !== null);
    const x = u.data[0][last];
    const y = values[last];
    if (x == null || y == null) return [];
    return [{ algorithm, x: u.valToPos(x, "x", true), y: u.valToPos(y, "y", true) }];
  });
  const gap = LABEL_GAP_PX * uPlot.pxRatio;
  const places = spreadLabels(ends.map((end) => end.y), gap);
  u.ctx.save();
  u.ctx.font = font.replace("12px", `600 ${12 * uPlot.pxRatio}px`);
  u.ctx.textBaseline = "middle";
  u.ctx.textAlign = "left";
  ends.forEach((end, i) => {
    u.ctx.fillStyle = token(u.root, `--algorithm-${end.algorithm}`);
    u.ctx.fillText(end.algorithm, end.x + 8 * uPlot.pxRatio, places[i] ?? end.y);
  });
  u.ctx.restore();
}
