/** Ticks, ranges and label positions: the geometry of the charts, without a canvas. */

const TICK_WIDTH_PX = 62;

/** Powers of two between two sizes, as many as labels fit; always on the same grid (8 B, 64 B …). */
export function sizeTicks(minBytes: number, maxBytes: number, widthPx: number): number[] {
  const from = Math.ceil(Math.log2(minBytes));
  const to = Math.floor(Math.log2(maxBytes));
  const room = Math.max(2, Math.floor(widthPx / TICK_WIDTH_PX));
  const step = [1, 2, 3, 5, 10].find((candidate) => (to - from) / candidate < room) ?? 10;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, i) => 2 ** (first + i * step));
}

/** A logarithmic size axis around the sweep; a sweep of one size gets room on both sides. Zero cannot be on it. */
export function sizeRange(sizes: readonly number[]): [number, number] {
  const positive = sizes.filter((size) => size > 0);
  const min = positive.length > 0 ? Math.min(...positive) : 1;
  const max = positive.length > 0 ? Math.max(...positive) : 2;
  return min < max ? [min, max] : [min / 2, max * 2];
}

/** From this ratio of the largest to the smallest size on, a linear value axis would show only the largest sizes. */
const WIDE = 1024;

/** Whether a range of sizes needs a logarithmic value axis. */
export function isWide([min, max]: readonly [number, number]): boolean {
  return max >= WIDE * min;
}

/** A linear axis from zero with a little room on top. */
export function linearRange(max: number | null): [number, number] {
  return [0, max !== null && max > 0 ? max * 1.08 : 1];
}

interface Valued {
  isModel?: boolean;
  points: readonly (readonly [number, number | null])[];
  band?: readonly (readonly [sizeBytes: number, low: number, high: number])[];
}

/** The highest value of any of the lines and their bands; 0 if there is none. */
export function largest(lines: readonly Valued[]): number {
  return Math.max(0, ...lines.flatMap(valuesOf));
}

/** The lowest value that a logarithmic axis can show; null if there is none. */
export function least(lines: readonly Valued[]): number | null {
  const positive = lines.flatMap(valuesOf).filter((value) => value > 0);
  return positive.length > 0 ? Math.min(...positive) : null;
}

function valuesOf({ points, band = [] }: Valued): number[] {
  return [...points.flatMap(([, y]) => y ?? []), ...band.flatMap(([, low, high]) => [low, high])];
}

/** Where a line through these points is at x, in pixels; null beyond its ends. */
export function heightAt(places: readonly (readonly [x: number, y: number])[], x: number): number | null {
  const after = places.findIndex(([at]) => at >= x);
  const [to, from] = [places[after], places[Math.max(0, after - 1)]];
  if (!to || !from || from[0] > x) return null;
  return to[0] === from[0] ? to[1] : from[1] + ((x - from[0]) / (to[0] - from[0])) * (to[1] - from[1]);
}

/** The lines of what was measured, in this job or in others. */
export function measuredOf<T extends Valued>(lines: readonly T[]): T[] {
  return lines.filter(({ isModel }) => !isModel);
}

/** Whether lines of a model leave the frame of a chart, whose axis belongs to the measured lines. */
export function isCut(lines: readonly Valued[], isLog: boolean): boolean {
  const measured = largest(measuredOf(lines));
  const top = isLog ? decadeRange(measured, measured)[1] : readableMax(measured, largest(lines));
  return measured > 0 && top !== null && largest(lines) > top;
}

/** The axis maximum that keeps the measured lines readable: references may be cut off above it. */
export function readableMax(measured: number, all: number | null): number | null {
  return measured > 0 && all !== null ? Math.min(all, 2 * measured) : all;
}

/** A logarithmic axis on whole decades. */
export function decadeRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !(min > 0)) return [1, 10];
  const from = 10 ** Math.floor(Math.log10(min));
  const to = 10 ** Math.ceil(Math.log10(max));
  return from < to ? [from, to] : [from, from * 10];
}

/** The decades of a logarithmic axis. */
export function decades(min: number, max: number): number[] {
  const from = Math.ceil(Math.log10(min) - 1e-9);
  const to = Math.floor(Math.log10(max) + 1e-9);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => 10 ** (from + i));
}

interface Group {
  members: number[];
  /** The sum of each member's wish for the group's first label. */
  sum: number;
}

/** Moves labels at least `gap` apart: those that would touch are grouped around their middle, within `bounds`. */
export function spreadLabels(wanted: readonly number[], gap: number, [from, to]: readonly [number, number]): number[] {
  const first = ({ members, sum }: Group): number =>
    Math.max(from, Math.min(sum / members.length, to - (members.length - 1) * gap));
  const groups: Group[] = [];
  for (const index of wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))) {
    let group: Group = { members: [index], sum: wanted[index] ?? 0 };
    for (let above = groups.at(-1); above; above = groups.at(-1)) {
      const { length } = above.members;
      if (first(above) + length * gap <= first(group)) break;
      groups.pop();
      const sum = above.sum + group.sum - group.members.length * length * gap;
      group = { members: [...above.members, ...group.members], sum };
    }
    groups.push(group);
  }
  const placed = [...wanted];
  for (const group of groups) group.members.forEach((index, i) => (placed[index] = first(group) + i * gap));
  return placed;
}
