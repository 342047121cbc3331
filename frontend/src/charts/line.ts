/** The look of the lines of a chart over steps or time, and uPlot's options for them. */
import uPlot from "uplot";
import type { Mark } from "../lib/curve";
import type { Columns } from "../lib/sweep/lineColumns";
import { linearRange } from "../lib/sweep/axes";
import type { Line } from "../lib/sweep/lines";
import { token } from "./token";

export interface LineChartSetup {
  lines: readonly Line[];
  xLabel: string;
  yLabel: string;
  /** Filled steps on top of one another instead of lines. */
  isStack?: boolean;
  /** The end of the axis, such as 100 for percent; else the largest value. */
  yMax?: number;
  /** Charts with the same key move their cursors together. */
  sync?: string;
  marks?: readonly Mark[];
  /** The ends of the axis of steps or time. */
  xRange: readonly [number, number];
  onHover?: (index: number | null) => void;
}

/** Columns as uPlot takes them: for a stack the whole first, so that its parts are painted over it. */
export function aligned({ x, lines }: Columns, isStack = false): uPlot.AlignedData {
  return [x, ...(isStack ? [...lines].reverse() : lines)];
}

/** uPlot's options; `latest` returns the current setup, for what changes while the chart stays. */
export function lineOptions(element: HTMLElement, latest: () => LineChartSetup): uPlot.Options {
  const { lines, xLabel, yLabel, isStack = false, yMax, sync } = latest();
  const font = `12px ${token(element, "--font")}`;
  const axis = {
    stroke: token(element, "--dim"), font, labelFont: font, labelSize: 18,
    grid: { stroke: token(element, "--line"), width: 1 }, ticks: { show: false },
  };
  const write = (u: uPlot, ticks: number[]): string[] =>
    ticks.map((tick) => (u.data[0].length === 0 ? "" : tick.toLocaleString("en", { maximumFractionDigits: 6 })));
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [14, 10, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { setScale: false, x: false, y: false },
      // The legend shows a stack's values: a point would be at the sum of the parts below.
      points: isStack ? { show: false } : { size: 8 },
      ...(sync && { sync: { key: sync, setSeries: false } }),
    },
    scales: {
      x: { time: false, range: () => [...latest().xRange] as [number, number] },
      y: { range: (_, __, max) => (yMax === undefined ? linearRange(max) : [0, yMax]) },
    },
    axes: [
      { ...axis, size: 28, gap: 6, label: xLabel, values: write },
      { ...axis, size: 58, label: yLabel, values: write },
    ],
    series: [{}, ...(isStack ? [...lines].reverse() : lines).map((line) => seriesOf(element, line, isStack))],
    hooks: {
      setCursor: [(u) => latest().onHover?.(u.cursor.idx ?? null)],
      draw: [(u) => drawMarks(u, latest().marks ?? [], font)],
    },
  };
}

function seriesOf(element: HTMLElement, { colour, dash, hasPoints }: Line, isStack: boolean): uPlot.Series {
  const stroke = token(element, colour);
  const { stepped } = uPlot.paths;
  if (isStack) {
    const paths = stepped?.({ align: 1 });
    return { fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) };
  }
  return {
    stroke,
    width: 2,
    dash: [...(dash ?? [])],
    // A single value makes no line: only a point shows it.
    points: { show: (u, index) => hasPoints || isLone(u.data[index]), size: 6, stroke, fill: token(element, "--surface"), width: 1.5 },
  };
}

function isLone(values: ArrayLike<unknown> | undefined): boolean {
  return Array.from(values ?? []).filter((value) => value !== null && value !== undefined).length === 1;
}

/** A rule with its words where something began. */
function drawMarks(u: uPlot, marks: readonly Mark[], font: string): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.font = font.replace("12px", `${11 * uPlot.pxRatio}px`);
  ctx.fillStyle = ctx.strokeStyle = token(u.root, "--warn");
  ctx.lineWidth = uPlot.pxRatio;
  ctx.setLineDash([4 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
  ctx.textBaseline = "bottom";
  for (const mark of marks) {
    const x = u.valToPos(mark.x, "x", true);
    const isRight = x > bbox.left + bbox.width / 2;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.textAlign = isRight ? "right" : "left";
    ctx.fillText(mark.label, x, bbox.top - uPlot.pxRatio);
  }
  ctx.restore();
}
