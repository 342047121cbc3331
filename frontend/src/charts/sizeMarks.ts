/** What a chart over message size draws besides its lines: names, bands, knees, unstable values, a limit, the chosen size. */
import uPlot from "uplot";
import { heightAt, spreadLabels } from "../lib/sweep/axes";
import type { Rule, SizeLine } from "../lib/sweep/lines";
import { token } from "./token";

const LABEL_GAP_PX = 14;
const LABEL_OFFSET_PX = 8;
const MAX_LABEL_SHARE = 0.3;
const BAND_OPACITY = 0.16;
const KNEE_PX = 5;
const PALE = 0.7;

/** Pixels for the longest name beside the lines; none if the names would leave too little room for the lines. */
export function labelRoom(lines: readonly SizeLine[], font: string, widthPx: number): number {
  const context = document.createElement("canvas").getContext("2d");
  const names = lines.filter((line) => line.isNamed).map((line) => line.name);
  if (!context || names.length === 0) return 0;
  context.font = bold(font, 1);
  const room = Math.ceil(Math.max(0, ...names.map((name) => context.measureText(name).width)) + 2 * LABEL_OFFSET_PX);
  return room <= widthPx * MAX_LABEL_SHARE ? room : 0;
}

function bold(font: string, pixelRatio: number): string {
  return font.replace("12px", `600 ${12 * pixelRatio}px`);
}

/** The chosen size, as a band behind the lines. */
export function drawChosen(u: uPlot, chosen: number | null): void {
  if (chosen === null || !(chosen > 0)) return;
  const x = u.valToPos(chosen, "x", true);
  const width = 9 * uPlot.pxRatio;
  u.ctx.save();
  u.ctx.fillStyle = token(u.root, "--accent-soft");
  u.ctx.fillRect(x - width / 2, u.bbox.top, width, u.bbox.height);
  u.ctx.restore();
}

/** Pales what is outside the brushed sizes. */
export function drawBrushed(u: uPlot, brushed: readonly [number, number] | null): void {
  if (brushed === null) return;
  const { ctx, bbox } = u;
  const margin = 6 * uPlot.pxRatio;
  const end = bbox.left + bbox.width;
  const from = Math.max(bbox.left, u.valToPos(brushed[0], "x", true) - margin);
  const to = Math.min(end, u.valToPos(brushed[1], "x", true) + margin);
  ctx.save();
  ctx.globalAlpha = PALE;
  ctx.fillStyle = token(u.root, "--surface");
  ctx.fillRect(bbox.left, bbox.top, from - bbox.left, bbox.height);
  ctx.fillRect(to, bbox.top, end - to, bbox.height);
  ctx.restore();
}

/** A horizontal rule with its words. */
export function drawRule(u: uPlot, rule: Rule, font: string): void {
  const { ctx, bbox } = u;
  const y = u.valToPos(rule.value, "y", true);
  ctx.save();
  ctx.font = font.replace("12px", `${11 * uPlot.pxRatio}px`);
  ctx.fillStyle = ctx.strokeStyle = token(u.root, "--warn");
  ctx.lineWidth = 1.5 * uPlot.pxRatio;
  ctx.setLineDash([2 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.textBaseline = "bottom";
  ctx.fillText(rule.label, bbox.left + 4 * uPlot.pxRatio, y - 2 * uPlot.pxRatio);
  ctx.restore();
}

/** Each line's name at its end: colour alone never identifies a line. */
export function drawNames(u: uPlot, lines: readonly SizeLine[], font: string): void {
  const ends = lines.flatMap(({ name, colour, isNamed }, i) => {
    const values = Array.from(u.data[i + 1] ?? []);
    const last = values.findLastIndex((value) => value !== null && value !== undefined);
    const x = u.data[0][last];
    const y = values[last];
    if (!isNamed || x == null || y == null) return [];
    return [{ name, colour, x: u.valToPos(x, "x", true), y: u.valToPos(y, "y", true) }];
  });
  const gap = LABEL_GAP_PX * uPlot.pxRatio;
  const places = spreadLabels(ends.map((end) => end.y), gap, [u.bbox.top, u.bbox.top + u.bbox.height]);
  u.ctx.save();
  u.ctx.font = bold(font, uPlot.pxRatio);
  u.ctx.textBaseline = "middle";
  u.ctx.textAlign = "left";
  ends.forEach((end, i) => {
    u.ctx.fillStyle = token(u.root, end.colour) || token(u.root, "--text");
    u.ctx.fillText(end.name, end.x + LABEL_OFFSET_PX * uPlot.pxRatio, places[i] ?? end.y);
  });
  u.ctx.restore();
}

/** The bands of the lines, so pale that lines and grid are visible through them. */
export function drawBands(u: uPlot, lines: readonly SizeLine[]): void {
  inPlot(u, () => {
    u.ctx.globalAlpha = BAND_OPACITY;
    for (const { band = [], colour } of lines) {
      // For a single size a bar, as a band would have no width.
      const half = band.length === 1 ? KNEE_PX * uPlot.pxRatio : 0;
      const upper = band.flatMap(([size, , high]) => sides(place(u, size, high), half));
      const lower = band.flatMap(([size, low]) => sides(place(u, size, low), half)).reverse();
      u.ctx.fillStyle = token(u.root, colour);
      u.ctx.beginPath();
      for (const [x, y] of [...upper, ...lower]) u.ctx.lineTo(x, y);
      u.ctx.fill();
    }
  });
}

/** S* on each line that has one: a diamond where half of the time is latency. */
export function drawKnees(u: uPlot, lines: readonly SizeLine[], font: string): void {
  const half = KNEE_PX * uPlot.pxRatio;
  inPlot(u, () => {
    u.ctx.font = bold(font, uPlot.pxRatio);
    u.ctx.textAlign = "left";
    u.ctx.textBaseline = "bottom";
    for (const { points, kneeBytes, colour } of lines) {
      if (kneeBytes === undefined) continue;
      const x = u.valToPos(kneeBytes, "x", true);
      const y = heightAt(points.flatMap(([size, value]) => (value === null || size <= 0 ? [] : [place(u, size, value)])), x);
      if (y === null) continue;
      u.ctx.fillStyle = token(u.root, colour);
      u.ctx.beginPath();
      for (const [dx, dy] of [[-half, 0], [0, -half], [half, 0], [0, half]] as const) u.ctx.lineTo(x + dx, y + dy);
      u.ctx.fill();
      u.ctx.fillText("S*", x + half, y - half);
    }
  });
}

/** A small "!" over each unstable value; the line itself is drawn through it. */
export function drawUnstable(u: uPlot, lines: readonly SizeLine[], font: string): void {
  inPlot(u, () => {
    u.ctx.font = bold(font, uPlot.pxRatio);
    u.ctx.textAlign = "center";
    u.ctx.textBaseline = "bottom";
    u.ctx.fillStyle = token(u.root, "--warn");
    for (const { points, unstable = [] } of lines) {
      for (const [size, value] of points) {
        if (value === null || size <= 0 || !unstable.includes(size)) continue;
        const [x, y] = place(u, size, value);
        u.ctx.fillText("!", x, Math.max(y - KNEE_PX * uPlot.pxRatio, u.bbox.top + LABEL_GAP_PX * uPlot.pxRatio));
      }
    }
  });
}

function place(u: uPlot, sizeBytes: number, value: number): readonly [x: number, y: number] {
  return [u.valToPos(sizeBytes, "x", true), u.valToPos(value, "y", true)];
}

function sides([x, y]: readonly [number, number], half: number): (readonly [number, number])[] {
  return half > 0 ? [[x - half, y], [x + half, y]] : [[x, y]];
}

/** Draws clipped to the axes. */
function inPlot(u: uPlot, draw: () => void): void {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  draw();
  u.ctx.restore();
}
