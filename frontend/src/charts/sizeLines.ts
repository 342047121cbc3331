/** Lines over message size as a chart takes them, and uPlot's options for them; the geometry is in axes.ts. */
import uPlot from "uplot";
import { formatSize } from "../lib/size";
import { decadeRange, decades, largest, least, linearRange, measuredOf, readableMax, sizeTicks } from "../lib/sweep/axes";
import type { Rule, SizeLine } from "../lib/sweep/lines";
import { drawBands, drawBrushed, drawChosen, drawKnees, drawNames, drawRule, drawUnstable, labelRoom } from "./sizeMarks";
import { token } from "./token";

export interface SizeChartSetup {
  lines: readonly SizeLine[];
  yLabel: string;
  /** A logarithmic value axis; else values from zero. The axis of sizes is always logarithmic. */
  isLog: boolean;
  /** The smallest and largest size that there will be, so that the axis does not move while the chart fills. */
  range: readonly [number, number];
  rule?: Rule | undefined;
  chosen?: number | null;
  /** The ends of the sizes that are in focus; all of them if there are none. */
  brushed?: readonly [minBytes: number, maxBytes: number] | null;
  onHover: (index: number | null) => void;
  onChoose?: ((index: number) => void) | undefined;
  onBrush?: ((minBytes: number, maxBytes: number) => void) | undefined;
}

/** Movements shorter than this are a click. */
const BRUSH_PX = 8;

/** uPlot's options; `latest` returns the current setup, for what changes while the chart stays. */
export function sizeOptions(element: HTMLElement, latest: () => SizeChartSetup): uPlot.Options {
  const { lines, yLabel, isLog, range, rule, onBrush } = latest();
  const grid = { stroke: token(element, "--line"), width: 1 };
  const font = `12px ${token(element, "--font")}`;
  const axis = { stroke: token(element, "--dim"), font, grid, ticks: { show: false } };
  const room = labelRoom(lines, font, element.clientWidth);
  const fill = (u: uPlot, i: number): string => token(u.root, lines[i - 1]?.colour ?? "--text");
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [rule ? 18 : 10, room || null, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: onBrush !== undefined, y: false, dist: BRUSH_PX }, points: { size: 9, fill } },
    scales: {
      x: { time: false, distr: 3, log: 2, range: () => [...range] as [number, number] },
      y: isLog
        ? { distr: 3, log: 10, range: () => logRange(latest()) }
        : { range: () => linearRange(Math.max(highest(latest().lines), rule?.value ?? 0)) },
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
        label: yLabel,
        labelFont: font,
        labelSize: 20,
        ...(isLog && { splits: (_: uPlot, __: number, min: number, max: number) => decades(min, max) }),
        // Without a row the axis would count from 0 to 1 as if something had been measured.
        // On a short logarithmic axis uPlot replaces ticks that are too close by null.
        values: (u, ticks: readonly (number | null)[]) =>
          ticks.map((tick) => (u.data[0].length === 0 || tick === null ? "" : tick.toLocaleString("en", { maximumFractionDigits: 9 }))),
      },
    ],
    series: [{}, ...lines.map((line) => seriesOf(element, line))],
    hooks: {
      ready: [(u) => u.over.addEventListener("click", () => choose(u, latest()))],
      setSelect: [(u) => brush(u, latest())],
      setCursor: [(u) => latest().onHover(u.cursor.idx ?? null)],
      drawClear: [(u) => drawChosen(u, latest().chosen ?? null)],
      drawAxes: [(u) => drawBands(u, latest().lines)],
      draw: [
        (u) => drawBrushed(u, latest().brushed ?? null),
        (u) => rule && drawRule(u, rule, font),
        (u) => drawKnees(u, latest().lines, font),
        (u) => drawUnstable(u, latest().lines, font),
        (u) => room > 0 && drawNames(u, lines, font),
      ],
    },
  };
}

/** The axis maximum: the measured lines stay readable. */
function highest(lines: readonly SizeLine[]): number {
  return readableMax(largest(measuredOf(lines)), largest(lines)) ?? 0;
}

/** The decades of the measured lines, or of all lines if nothing was measured; a limit is always in sight. */
function logRange({ lines, rule }: SizeChartSetup): [number, number] {
  const measured = measuredOf(lines);
  const shown = largest(measured) > 0 ? measured : lines;
  return decadeRange(least(shown), Math.max(largest(shown), rule?.value ?? 0));
}

/** Reports the sizes under the selection, if there are any, and takes it away: the address holds the range. */
function brush(u: uPlot, { onBrush }: SizeChartSetup): void {
  const { left, width } = u.select;
  if (width === 0) return;
  // A point whose mark the pointer touched is meant, too.
  const [from, to] = [u.posToVal(left - BRUSH_PX, "x"), u.posToVal(left + width + BRUSH_PX, "x")];
  const sizes = Array.from(u.data[0]).filter((size) => size >= from && size <= to);
  u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  const [min, max] = [sizes[0], sizes.at(-1)];
  if (min !== undefined && max !== undefined) onBrush?.(min, max);
}

function choose(u: uPlot, { onChoose }: SizeChartSetup): void {
  if (typeof u.cursor.idx === "number") onChoose?.(u.cursor.idx);
}

function seriesOf(element: HTMLElement, { colour, dash, width, mark }: SizeLine): uPlot.Series {
  const stroke = token(element, colour) || token(element, "--text");
  const isFilled = mark === "filled";
  const fill = isFilled ? stroke : token(element, "--surface");
  return {
    stroke,
    width,
    dash: [...(dash ?? [])],
    points: { show: mark !== "none", size: isFilled ? 5 : 6, stroke, fill, width: 1.5 },
  };
}
