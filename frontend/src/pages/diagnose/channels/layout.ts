/** Where nodes, ranks and edges are drawn. Pure. */
import type { NcclPlace } from "../../../api/types";

export const RADIUS = 13;
const STEP = 44;
const PAD = 16;
const HEAD = 26;
const ARC = 34;
const ROW = 2 * RADIUS + 2 * ARC;
const GAP = 14;
const IN_ROW = 8;
const SWITCH = 30;
const LEAST_WIDTH = 132;

export interface Spot {
  rank: number;
  device: number | null;
  x: number;
  y: number;
}

export interface NodeBox {
  /** Null for ranks that wrote no line, empty for a node that no line names. */
  host: string | null;
  x: number;
  y: number;
  width: number;
  height: number;
  spots: Spot[];
  /** The middle of the node's NVSwitch, with NVLS. */
  hub: { x: number; y: number } | null;
}

export interface Layout {
  boxes: NodeBox[];
  spots: ReadonlyMap<number, Spot>;
  width: number;
  height: number;
}

/** Nodes as boxes beside each other as far as the width allows, each with its ranks in rows of eight. */
export function layoutOf(places: readonly NcclPlace[], widthPx: number, hasHubs: boolean): Layout {
  const byHost = new Map<string | null, NcclPlace[]>();
  for (const place of places) byHost.set(place.host, [...(byHost.get(place.host) ?? []), place]);
  const hosts = [...byHost].sort(([a], [b]) => Number(a === null) - Number(b === null));
  const most = Math.min(IN_ROW, Math.max(1, ...hosts.map(([, ranks]) => ranks.length)));
  const width = Math.max(LEAST_WIDTH, most * STEP + 2 * PAD - (STEP - 2 * RADIUS));
  const columns = Math.max(1, Math.min(hosts.length, Math.floor((widthPx + GAP) / (width + GAP))));
  const boxes: NodeBox[] = [];
  let y = 0;
  for (let first = 0; first < hosts.length; first += columns) {
    const row = hosts.slice(first, first + columns);
    const height = Math.max(...row.map(([, ranks]) => HEAD + Math.ceil(ranks.length / IN_ROW) * ROW)) + (hasHubs ? SWITCH : 0);
    row.forEach(([host, ranks], i) => {
      const x = i * (width + GAP);
      const perRow = Math.min(IN_ROW, ranks.length);
      const begin = x + (width - (perRow - 1) * STEP) / 2;
      const spots = ranks.map(({ rank, device }, at) => ({
        rank,
        device,
        x: begin + (at % IN_ROW) * STEP,
        y: y + HEAD + ARC + RADIUS + Math.floor(at / IN_ROW) * ROW - 6,
      }));
      boxes.push({ host, x, y, width, height, spots, hub: hasHubs ? { x: x + width / 2, y: y + height - SWITCH / 2 - 4 } : null });
    });
    y += height + GAP;
  }
  const spots = new Map(boxes.flatMap((box) => box.spots.map((spot) => [spot.rank, spot] as const)));
  return { boxes, spots, width: columns * (width + GAP) - GAP, height: Math.max(y - GAP, 0) };
}

export interface Curve {
  /** The path from circle to circle. */
  path: string;
  /** The arrow in the middle of it. */
  arrow: string;
}

/** A bow to the left of its direction, so that both directions between two ranks are seen. */
export function curveOf(from: Spot, to: Spot): Curve {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const bend = Math.min(Math.max(length * 0.3, 14), 58);
  const control = { x: (from.x + to.x) / 2 + (dy / length) * bend, y: (from.y + to.y) / 2 - (dx / length) * bend };
  const begin = towards(from, control);
  const end = towards(to, control);
  const middle = { x: begin.x / 4 + control.x / 2 + end.x / 4, y: begin.y / 4 + control.y / 2 + end.y / 4 };
  const [ux, uy] = [dx / length, dy / length];
  const tip = { x: middle.x + 4.5 * ux, y: middle.y + 4.5 * uy };
  const back = { x: middle.x - 3.5 * ux, y: middle.y - 3.5 * uy };
  return {
    path: `M${at(begin)}Q${at(control)} ${at(end)}`,
    arrow: `M${at(tip)}L${at({ x: back.x - 4 * uy, y: back.y + 4 * ux })}L${at({ x: back.x + 4 * uy, y: back.y - 4 * ux })}Z`,
  };
}

interface Point {
  x: number;
  y: number;
}

/** The point on the circle around a rank that lies towards another point. */
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / length) * (RADIUS + 1), y: from.y + ((to.y - from.y) / length) * (RADIUS + 1) };
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
