/** The measured links as a square table of racks. Pure. */
import type { RackLinkView } from "../../api/types";
import { isSlow, medianOf, natural, type Racked } from "./matrix";

/** The slowest of many directions is below their median by chance, so it is compared with the slowest ones of other racks; two have no usual value. */
const LEAST_COMPARED = 3;

export interface Racks {
  /** By name; "" for nodes without a rack. */
  names: string[];
  /** The links between two racks in either order, or within one; null if none is measured. */
  at: (a: string, b: string) => RackLinkView | null;
  /** The racks between which the slowest direction is. */
  worst: RackLinkView | null;
  /** Of the medians between racks, in 1e9 bytes/s; null where nothing is measured. */
  median: number | null;
  /** The median and the fastest of the slowest directions; the median is null if too few racks have links. */
  medianOfSlowest: number | null;
  most: number;
  measured: number;
  newestAt: string | null;
}

export function racksOf(links: readonly RackLinkView[]): Racks {
  const cells = new Map(links.map((link) => [key(...ends(link)), link]));
  const slowest = [...links].sort((a, b) => a.slowest_gb_per_s - b.slowest_gb_per_s);
  const rates = slowest.map((link) => link.slowest_gb_per_s);
  const medians = links.map((link) => link.median_gb_per_s).sort((a, b) => a - b);
  return {
    names: [...new Set(links.flatMap(ends))].sort(natural),
    at: (a, b) => cells.get(key(a, b)) ?? null,
    worst: slowest[0] ?? null,
    median: medians.length > 0 ? medianOf(medians) : null,
    medianOfSlowest: rates.length < LEAST_COMPARED ? null : medianOf(rates),
    most: rates.at(-1) ?? 0,
    measured: links.reduce((sum, link) => sum + link.measured, 0),
    newestAt: links.map((link) => link.newest_at).sort().at(-1) ?? null,
  };
}

/** Whether the whole interval of the slowest direction is below 90 % of the median of the slowest ones. */
export function isRackSlow({ slowest_high_gb_per_s: high }: RackLinkView, { medianOfSlowest }: Racks): boolean {
  return isSlow({ high }, { median: medianOfSlowest });
}

export function isOf({ rack }: Racked, chosen: readonly string[]): boolean {
  return chosen.includes(rack ?? "");
}

export function rackWord(rack: string): string {
  return rack || "no rack";
}

/** The number of measured links between the nodes of these racks, and the median of all links. */
export function wholeOf({ at, median }: Racks, [a, b]: readonly [string, string]): { measured: number; median: number | null } {
  const cells = a === b ? [at(a, a)] : [at(a, a), at(a, b), at(b, b)];
  return { measured: cells.reduce((sum, cell) => sum + (cell?.measured ?? 0), 0), median };
}

function ends({ racks: [a, b] }: RackLinkView): [string, string] {
  return [a ?? "", b ?? ""];
}

function key(a: string, b: string): string {
  return JSON.stringify([a, b].sort());
}
