/** Ranks on a circle, and the arrows of one step between them: the geometry, without SVG. */

import { digits } from "../../lib/amount";
import type { Move } from "../../lib/moves";

export const RING_PX = 420;
/** More ranks than this cannot be distinguished on a circle. */
export const MOST_ON_RING = 16;
const MARGIN_PX = 46;
const GAP_PX = 5;
/** How far an arrow bends aside: relative to its length, and at least. */
const BEND = 0.14;
const LEAST_BEND_PX = 16;
/** Arrows across the circle are labelled near their start, where they do not meet; short ones beside their middle. */
const ACROSS_PX = 70;
const LABEL_AT = 0.28;
const LABEL_ASIDE_PX = 14;

export interface Point {
  x: number;
  y: number;
}

export interface RankPlace extends Point {
  rank: number;
}

/** The radius of the circle of one rank: smaller if there are many. */
export function rankRadius(ranks: number): number {
  return ranks <= 6 ? 30 : ranks <= 8 ? 25 : 18;
}

/** Rank 0 on top, then clockwise. */
export function rankPlaces(ranks: number): RankPlace[] {
  const middle = RING_PX / 2;
  const radius = middle - MARGIN_PX;
  return Array.from({ length: ranks }, (_, rank) => {
    const angle = (2 * Math.PI * rank) / ranks - Math.PI / 2;
    return { rank, x: middle + radius * Math.cos(angle), y: middle + radius * Math.sin(angle) };
  });
}

export interface Arrow {
  /** An SVG path from circle to circle, bent aside so that two opposite arrows do not cover each other. */
  path: string;
  label: Point;
  /** Whether it crosses the inside of the circle. */
  isAcross: boolean;
}

/** From one rank's circle to another's. */
export function arrow(from: Point, to: Point, radius: number): Arrow {
  const along = { x: to.x - from.x, y: to.y - from.y };
  const length = Math.hypot(along.x, along.y) || 1;
  // To the left of its direction: on the circle's outside if ranks send clockwise to the next.
  const aside = { x: along.y / length, y: -along.x / length };
  const bendPx = 2 * Math.max(LEAST_BEND_PX, BEND * length);
  const bend = { x: (from.x + to.x) / 2 + aside.x * bendPx, y: (from.y + to.y) / 2 + aside.y * bendPx };
  const start = towards(from, bend, radius + GAP_PX);
  const end = towards(to, bend, radius + GAP_PX);
  const toCentre = Math.hypot((from.x + to.x - RING_PX) / 2, (from.y + to.y - RING_PX) / 2);
  const isAcross = toCentre < ACROSS_PX;
  const middle = onCurve(start, bend, end, isAcross ? LABEL_AT : 0.5);
  const asidePx = isAcross ? 0 : LABEL_ASIDE_PX;
  const label = { x: middle.x + aside.x * asidePx, y: middle.y + aside.y * asidePx };
  return { path: `M ${round(start)} Q ${round(bend)} ${round(end)}`, label, isAcross };
}

function onCurve(start: Point, bend: Point, end: Point, t: number): Point {
  const at = (a: number, b: number, c: number): number => (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t ** 2 * c;
  return { x: at(start.x, bend.x, end.x), y: at(start.y, bend.y, end.y) };
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) * distance) / length, y: from.y + ((to.y - from.y) * distance) / length };
}

function round({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** More ranks than this leave an arrow no room for two lines. */
const MOST_LABELLED = 8;
const MOST_VALUES = 3;

/** The lines of an arrow's label: the numbers sent, if they are known, and their chunk. */
export function arrowLabel({ values, chunks }: Pick<Move, "values" | "chunks">, ranks: number): string[] {
  const numbers = values && values.length <= MOST_VALUES ? values.map(digits).join(", ") : null;
  const label = chunkLabel(chunks);
  if (ranks > MOST_LABELLED) return [numbers ?? label];
  const named = label.endsWith("chunks") ? label : `${chunks.length > 1 ? "chunks" : "chunk"} ${label}`;
  return numbers === null ? [named] : [numbers, named];
}

/** "2", "0–3", "0, 4", "4 chunks": the chunks of a message. */
export function chunkLabel(chunks: readonly number[]): string {
  const isRun = chunks.every((chunk, i) => i === 0 || chunk === (chunks[i - 1] ?? 0) + 1);
  if (chunks.length > 2 && isRun) return `${chunks[0]}–${chunks.at(-1)}`;
  return chunks.length > 3 ? `${chunks.length} chunks` : chunks.join(", ");
}
