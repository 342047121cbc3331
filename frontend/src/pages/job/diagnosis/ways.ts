/** The newest rate from each node to each other one, from the measured pairs of a diagnosis. */
import type { DiagnosisView, LinkView } from "../../../api/types";

export type PairView = DiagnosisView["pairs"][number];
export type WayRate = NonNullable<PairView["there"]>;

export interface Way {
  /** Null: the pair hung or died. */
  rate: WayRate | null;
  pair: PairView;
}

/** Later measurements replace earlier ones; pairs are in the order of their time. */
export function waysOf(pairs: readonly PairView[]): (source: string, destination: string) => Way | undefined {
  const ways = new Map<string, Way>();
  for (const pair of pairs) {
    const [first = "", second = ""] = pair.nodes;
    ways.set(key(first, second), { rate: pair.there, pair });
    ways.set(key(second, first), { rate: pair.back, pair });
  }
  return (source, destination) => ways.get(key(source, destination));
}

/** The newest measurement of each pair as a link between its nodes. */
export function linksOf(job: number, { pairs, size_bytes, both_ways }: DiagnosisView): LinkView[] {
  const newest = new Map(pairs.map((pair) => [key(...sorted(pair)), pair]));
  return [...newest.values()].flatMap((pair) => {
    const { nodes: [first = "", second = ""], there, back, latency_us, measured_at } = pair;
    if (!there || !back) return [];
    const way = (source: string, destination: string, { low, high, messages }: WayRate) => ({
      source, destination, low_gb_per_s: low / 1e9, high_gb_per_s: high / 1e9, messages,
    });
    return {
      nodes: sorted(pair),
      ways: [way(first, second, there), way(second, first, back)],
      busbw_gb_per_s: Math.min(there.low + there.high, back.low + back.high) / 2e9,
      size_bytes, both_ways, latency_us, measured_at, job_id: job,
      iterations: Math.min(there.messages, back.messages),
      is_unstable: false,
      algorithm: "diagnosis",
      transport: "mpi",
    };
  });
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

function key(source: string, destination: string): string {
  return JSON.stringify([source, destination]);
}
