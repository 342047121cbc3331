/** uPlot's options for a sweep: colours from tokens.css, geometry from axes.ts. */
import uPlot from "uplot";
import type { Metric } from "../lib/search";
import { formatSize } from "../lib/size";
import { decadeRange, decades, linearRange, sizeTicks, spreadLabels } from "./axes";
import { METRIC_NAMES, METRIC_UNITS, type Series } from "./series";
import { colourToken, dashOf, widthOf } from "./style";

const LABEL_GAP_PX = 14;
const LABEL_OFFSET_PX = 8;
const MAX_LABEL_SHARE = 0.3;

interface Setup {
  element: HTMLElement;
  metric: Metric;
  series: readonly Series[];
  /** The smallest and largest size that the sweep will have, so that the axis stands still while it fills. */
  range: [number, number];
  onHover: (index: number | null) => void;
}

/** A token's value in the current colour scheme. */
function token(element: HTMLElement, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

export function chartOptions({ element, metric, series, range, onHover }: Setup): uPlot.Options {
  const grid = { stroke: token(element, "--line"), width: 1 };
  const font = `12px ${token(element, "--font")}`;
  const axis = { stroke: token(element, "--dim"), font, grid, ticks: { show: false } };
  const isLog = metric === "time";
  const surface = token(element, "--surface");
  const names = series.map((item) => item.algorithm);
  const room = labelRoom(names, font, element.clientWidth);
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [10, room || null, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 9, fill: (u, i) => colour(u.root, names[i - 1]) } },
    scales: {
      x: { time: false, distr: 3, log: 2, range: () => range },
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
        const stroke = colour(element, item.algorithm);
        return {
          stroke,
          width: widthOf(item.inPlace),
          dash: [...dashOf(item.algorithm)],
          points: { show: true, size: item.inPlace ? 5 : 6, stroke, fill: item.inPlace ? stroke : surface, width: 1.5 },
        };
      }),
    ],
    hooks: {
      setCursor: [(u) => onHover(u.cursor.idx ?? null)],
      draw: room > 0 ? [(u) => drawNames(u, series, font)] : [],
    },
  };
}

function colour(element: HTMLElement, algorithm = ""): string {
  return token(element, colourToken(algorithm)) || token(element, "--text");
}

/** Pixels for the longest name beside the lines; none where the names would crowd out the lines. */
function labelRoom(names: readonly string[], font: string, widthPx: number): number {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return 0;
  context.font = bold(font, 1);
  const room = Math.ceil(Math.max(0, ...names.map((name) => context.measureText(name).width)) + 2 * LABEL_OFFSET_PX);
  return room <= widthPx * MAX_LABEL_SHARE ? room : 0;
}

function bold(font: string, pixelRatio: number): string {
  return font.replace("12px", `600 ${12 * pixelRatio}px`);
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
  const places = spreadLabels(ends.map((end) => end.y), gap, [u.bbox.top, u.bbox.top + u.bbox.height]);
  u.ctx.save();
  u.ctx.font = bold(font, uPlot.pxRatio);
  u.ctx.textBaseline = "middle";
  u.ctx.textAlign = "left";
  ends.forEach((end, i) => {
    u.ctx.fillStyle = colour(u.root, end.algorithm);
    u.ctx.fillText(end.algorithm, end.x + LABEL_OFFSET_PX * uPlot.pxRatio, places[i] ?? end.y);
  });
  u.ctx.restore();
}
