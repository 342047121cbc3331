/** The newest rate from each node to each other one, from the measured pairs of a diagnosis. */
import type { DiagnosisView } from "../../../api/types";

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

/** The middle of the interval in MB/s. */
export function megabytes({ low, high }: WayRate): number {
  return (low + high) / 2e6;
}

function key(source: string, destination: string): string {
  return JSON.stringify([source, destination]);
}
