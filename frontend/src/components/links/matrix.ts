/** The measured links as a square table of nodes. Pure. */
import type { LinkView, NodeView } from "../../api/types";

/** The most nodes of the matrix: a larger one cannot be read, and takes seconds to draw. */
export const MOST_IN_MATRIX = 64;

/** A direction is slow if all of it is below this share of the median. */
const SLOW = 0.9;
/** Of fewer directions none is compared: between two nodes the slower one would be called slow in most cases. */
const LEAST_COMPARED = 4;

/** A node as the matrix sorts it. */
export type Racked = Pick<NodeView, "name" | "rack">;

/** The bandwidth from one node to another, in 1e9 bytes/s; the ends of the interval are equal where none is known. */
export interface Rate {
  middle: number;
  low: number;
  high: number;
}

export interface Matrix {
  /** By rack, then by name; of more nodes those with the slowest links, the slowest first. */
  names: string[];
  /** The names on which a new rack begins, with the rack; empty where no node has one. */
  racks: Map<string, string>;
  /** The number of known nodes. */
  total: number;
  /** The newest link of a pair in either order; null if it was never measured. */
  at: (a: string, b: string) => LinkView | null;
  /** Over all measured directions, in 1e9 bytes/s. */
  most: number;
  least: number;
  /** Null where too few directions are measured for one to be called slow. */
  median: number | null;
  measured: number;
  pairs: number;
}

/** The links between the nodes. */
export function matrix(nodes: readonly Racked[], links: readonly LinkView[]): Matrix {
  const rackOf = new Map(nodes.map(({ name, rack }) => [name, rack ?? ""]));
  const rack = (name: string): string => rackOf.get(name) ?? "";
  const all = [...rackOf.keys()].sort((a, b) => natural(rack(a), rack(b)) || natural(a, b));
  const known = links.filter((link) => link.nodes.every((name) => rackOf.has(name)));
  const byPair = new Map(known.map((link) => [key(link.nodes[0] ?? "", link.nodes[1] ?? ""), link]));
  const values = [...byPair.values()].flatMap(middles).sort((a, b) => a - b);
  const names = all.length > MOST_IN_MATRIX ? slowest(known) : all;
  const isByRack = all.length <= MOST_IN_MATRIX && new Set(rackOf.values()).size > 1;
  return {
    names,
    racks: new Map(isByRack ? names.flatMap((name, i) => (i === 0 || rack(name) !== rack(names[i - 1] ?? "") ? [[name, rack(name) || "no rack"] as const] : [])) : []),
    total: all.length,
    at: (a, b) => byPair.get(key(a, b)) ?? null,
    most: values.at(-1) ?? 0,
    least: values[0] ?? 0,
    median: values.length < LEAST_COMPARED ? null : medianOf(values),
    measured: byPair.size,
    pairs: pairsOf(all.length),
  };
}

/** The rate of a link from one of its nodes to the other one; a sendrecv has one rate for both directions. */
export function rateOf(link: Pick<LinkView, "ways" | "busbw_gb_per_s">, source: string): Rate {
  const way = link.ways.find((each) => each.source === source);
  if (!way) return { middle: link.busbw_gb_per_s, low: link.busbw_gb_per_s, high: link.busbw_gb_per_s };
  return { middle: (way.low_gb_per_s + way.high_gb_per_s) / 2, low: way.low_gb_per_s, high: way.high_gb_per_s };
}

/** Whether the whole interval is below 90 % of the median. */
export function isSlow({ high }: Pick<Rate, "high">, { median }: { median: number | null }): boolean {
  return median !== null && high < SLOW * median;
}

export function pairsOf(count: number): number {
  return (count * Math.max(0, count - 1)) / 2;
}

function middles(link: LinkView): number[] {
  return link.nodes.map((source) => rateOf(link, source).middle);
}

/** The ends of the links, each at the position of its slowest link. */
function slowest(links: readonly LinkView[]): string[] {
  const inOrder = [...links].sort((a, b) => a.busbw_gb_per_s - b.busbw_gb_per_s);
  return [...new Set(inOrder.flatMap((link) => link.nodes))].slice(0, MOST_IN_MATRIX);
}

export function natural(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function key(a: string, b: string): string {
  return [a, b].sort().join("\n");
}

/** The median of sorted values, of which there is at least one. */
export function medianOf(values: readonly number[]): number {
  const half = (values.length - 1) / 2;
  return ((values[Math.floor(half)] ?? 0) + (values[Math.ceil(half)] ?? 0)) / 2;
}
