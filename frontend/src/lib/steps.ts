/** What the ranks of a running job are at, in words and as bars. Pure. */
import type { JobView, NewestSteps, StepBlock } from "../api/types";
import { plural, threeDigits } from "./format";
import { formatSize } from "./size";

/** So many ranks at most are told of; the others are faster. */
const MOST_RANKS = 16;

/** How many rows the table will have, so that nothing jumps when they come. A simulation is told by one rank. */
export function expectedRows(job: JobView): number {
  return job.spec.benchmark?.topology ? 1 : Math.min(job.ranks, MOST_RANKS);
}

/** What came of the job's newest attempt; null before any. */
export function shownSteps(job: JobView, newest: NewestSteps | undefined): NewestSteps | null {
  const attempt = job.attempts.at(-1)?.id ?? null;
  return newest && newest.items.length > 0 && newest.attempt_id === attempt ? newest : null;
}

/** "4 MiB out of place": what a rank is at, beside the algorithm. */
export function kindWords(block: StepBlock): string {
  return `${formatSize(block.bytes)} ${block.in_place ? "in place" : "out of place"}`;
}

/** The rank that takes longest, and how fast that is. */
export function slowestWords({ items, ranks }: NewestSteps): string {
  const slowest = items.reduce((a, b) => (b.mean_us > a.mean_us ? b : a));
  const rate = slowest.busbw_gb_per_s === null ? "" : `, ${threeDigits(slowest.busbw_gb_per_s)} GB/s`;
  const more = ranks > items.length ? `The slowest ${items.length} of ${plural(ranks, "rank")}. ` : "";
  return ranks > 1 ? `${more}Slowest: rank ${slowest.rank}, ${threeDigits(slowest.mean_us)} µs a step${rate}.` : "";
}

/** From how many steps the means are; ranks need not have told of as many. */
export function countWords(items: readonly StepBlock[]): string {
  const counts = items.map((block) => block.steps);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? plural(least, "step") : `${least} to ${plural(most, "step")}`;
}

/** The longest step that is drawn: one scale for all ranks. */
export function longestUs(items: readonly StepBlock[]): number {
  return Math.max(0, ...items.flatMap((block) => block.recent_us));
}

const BAR_PX = 4;

/** Bars from the bottom, the newest at the right end, as the path of an SVG. */
export function barsPath(recentUs: readonly number[], mostUs: number, widthPx: number, heightPx: number): string {
  if (!(mostUs > 0)) return "";
  const from = widthPx - BAR_PX * recentUs.length;
  return recentUs
    .map((timeUs, i) => `M${from + BAR_PX * (i + 0.5)} ${heightPx}v${-Math.max(1, round((heightPx * timeUs) / mostUs))}`)
    .join("");
}

/** The same in words. */
export function barsLabel(recentUs: readonly number[]): string {
  const [least, most] = [Math.min(...recentUs), Math.max(...recentUs)];
  return `Last ${plural(recentUs.length, "step")}: ${threeDigits(least)} to ${threeDigits(most)} µs`;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
