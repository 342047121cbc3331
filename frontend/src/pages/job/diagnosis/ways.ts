/** The newest rate from each node to each other one, from the measured pairs of a diagnosis. */
import type { DiagnosisView, LinkView } from "../../../api/types";

export type PairView = DiagnosisView["pairs"][number];
export type WayRate = NonNullable<PairView["there"]>;

export interface Way {
  /** Null: the pair hung or died. */
  rate: WayRate | null;
  pair: PairView;
}

/** Later measurements replace earlier ones; pairs are in the order of their time. Of several rails the worst one counts. */
export function waysOf(pairs: readonly PairView[]): (source: string, destination: string) => Way | undefined {
  const ways = new Map<string, Way>();
  for (const pair of newestOf(pairs)) {
    const [first = "", second = ""] = pair.nodes;
    for (const [name, rate] of [[key(first, second), pair.there], [key(second, first), pair.back]] as const) {
      const known = ways.get(name);
      if (!known || middle(rate) < middle(known.rate)) ways.set(name, { rate, pair });
    }
  }
  return (source, destination) => ways.get(key(source, destination));
}

/** The newest measurement of each pair, or of each of its rails; nodes that were cut off at first have no rail. */
function newestOf(pairs: readonly PairView[]): PairView[] {
  const newest = new Map<string, PairView>();
  for (const pair of pairs) {
    const nodes = sorted(pair);
    if (pair.rail != null) newest.delete(key(...nodes, null));
    newest.set(key(...nodes, pair.rail ?? null), pair);
  }
  return [...newest.values()];
}

/** The middle of an interval; 0 for a pair that hung or died. */
function middle(rate: WayRate | null): number {
  return rate ? (rate.low + rate.high) / 2 : 0;
}

/** The newest measurement of each pair as a link between its nodes; of several rails the slowest one. */
export function linksOf(job: number, { pairs, size_bytes, both_ways }: DiagnosisView): LinkView[] {
  const links = new Map<string, LinkView>();
  for (const link of newestOf(pairs).flatMap((pair) => linkOf(pair, { job_id: job, size_bytes, both_ways }))) {
    const name = key(link.nodes[0] ?? "", link.nodes[1] ?? "");
    const known = links.get(name);
    const rails = [...(known?.rails ?? []), ...(link.rail == null ? [] : [{ ...link, rail: link.rail, latency_us: link.latency_us ?? null }])];
    links.set(name, { ...(known && known.busbw_gb_per_s <= link.busbw_gb_per_s ? known : link), rails });
  }
  return [...links.values()];
}

function linkOf(pair: PairView, rest: Pick<LinkView, "job_id" | "size_bytes" | "both_ways">): LinkView[] {
  const { nodes: [first = "", second = ""], rail, there, back, latency_us, measured_at } = pair;
  if (!there || !back) return [];
  const way = (source: string, destination: string, { low, high, messages }: WayRate) => ({
    source, destination, low_gb_per_s: low / 1e9, high_gb_per_s: high / 1e9, messages,
  });
  return [{
    ...rest,
    nodes: sorted(pair),
    rail: rail ?? null,
    rails: [],
    ways: [way(first, second, there), way(second, first, back)],
    busbw_gb_per_s: Math.min(there.low + there.high, back.low + back.high) / 2e9,
    latency_us, measured_at,
    iterations: Math.min(there.messages, back.messages),
    is_unstable: false,
    algorithm: "diagnosis",
    transport: "mpi",
  }];
}

/** The nodes of a pair by name, as a link has them. */
function sorted({ nodes: [first = "", second = ""] }: PairView): [string, string] {
  return first < second ? [first, second] : [second, first];
}

export interface Unit {
  word: "MB/s" | "GB/s";
  /** Its bytes per second. */
  bytes: number;
}

/** The unit in which the fastest of these rates has few digits. */
export function unitOf(measured: readonly { there?: WayRate | null; back?: WayRate | null }[]): Unit {
  const most = Math.max(0, ...measured.flatMap(({ there, back }) => [there?.high ?? 0, back?.high ?? 0]));
  return most >= 1e9 ? { word: "GB/s", bytes: 1e9 } : { word: "MB/s", bytes: 1e6 };
}

function key(...ends: readonly unknown[]): string {
  return JSON.stringify(ends);
}
