/** The comparison of a job with the base job in one figure, in words; the server compares. Pure. */
import type { Standing } from "../../api/types";
import { signedPercent } from "../format";
import { formatSize } from "../size";

export interface StandingWords {
  /** How much faster: "+12.0 %"; a dash if there is nothing to compare. */
  text: string;
  /** What is compared and how sure it is, or the first reason why it is not compared. */
  why: string;
  /** Whether it exceeds the uncertainty of the means. */
  isClear: boolean;
}

export function standingWords({ obstacles, algorithm, size_bytes: size, ratio, ratio_low: low, ratio_high: high }: Standing): StandingWords {
  if (ratio === null || size === null) return { text: "–", why: obstacles[0] ?? "No algorithm and size in common.", isClear: false };
  const what = `${algorithm} at ${formatSize(size)}, out of place`;
  if (low === null || high === null) return { text: faster(ratio), why: `${what}; the rows have no confidence interval`, isClear: false };
  const isClear = high < 1 || low > 1;
  return { text: faster(ratio), why: `${what}; 95 %: ${faster(high)} to ${faster(low)}${isClear ? "" : ", so the difference is not significant"}`, isClear };
}

function faster(ratio: number): string {
  return signedPercent(1 / ratio - 1);
}

/** Numbers of jobs in blocks that stay the same while a list grows, each small enough for one request. */
export function blocksOf(ids: readonly number[]): number[][] {
  const blocks = new Map<number, number[]>();
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const block = Math.floor(id / BLOCK);
    blocks.set(block, [...(blocks.get(block) ?? []), id]);
  }
  return [...blocks.values()];
}

const BLOCK = 50;
