/** Insights in words. */
import type { InsightDetail, InsightView } from "../api/types";
import { formatDuration, secondsBetween } from "./format";

export const INSIGHTS: Record<InsightView["kind"], string> = {
  straggler: "Slow rank",
  late_rank: "Late rank",
  slow_link: "Slow link",
  hang: "Hang",
  desync: "Out of step",
  wrong_result: "Wrong result",
  low_bandwidth: "Low bandwidth",
  diverged: "Diverged",
  memory_growth: "Memory growth",
};

/** When it was active: "now", or for how long. */
export function lastedWords({ since, until }: Pick<InsightView, "since" | "until">): string {
  return until === null ? "now" : `for ${formatDuration(secondsBetween(since, until))}`;
}

interface RankStack {
  rank: number;
  node: string;
  source: string;
  stack: string;
}

export interface Stack {
  ranks: { rank: number; node: string }[];
  source: string;
  text: string;
}

const THREAD = /[Tt]hread 0x[0-9a-f]+/g; // the address differs from rank to rank

/** The stacks of the ranks of a gang that hung, as far as they were reported; equal stacks together. */
export function stacksOf(insight: InsightDetail | undefined): Stack[] {
  const stacks = new Map<string, Stack>();
  for (const { rank, node, source, stack } of (insight?.evidence.stacks as RankStack[] | undefined) ?? []) {
    const text = stack.replace(THREAD, "thread");
    const key = `${source} ${text}`;
    const same = stacks.get(key);
    if (same) same.ranks.push({ rank, node });
    else stacks.set(key, { ranks: [{ rank, node }], source, text });
  }
  return [...stacks.values()];
}

/** "Rank 0 on n1, rank 1 on n2". */
export function ranksWords({ ranks }: Pick<Stack, "ranks">): string {
  return `R${ranks.map(({ rank, node }) => `rank ${rank} on ${node}`).join(", ").slice(1)}`;
}
