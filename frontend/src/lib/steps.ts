/** The newest steps of a running job's ranks, in words and as bars. Pure. */
import type { JobView, NewestSteps, StepBlock } from "../api/types";
import { formatCount, plural, threeDigits } from "./format";
import { formatSize } from "./size";

/** The newest steps of the job's newest attempt; null before any. */
export function shownSteps(job: JobView, newest: NewestSteps | undefined): NewestSteps | null {
  const attempt = job.attempts.at(-1)?.id ?? null;
  return newest && newest.items.length > 0 && newest.attempt_id === attempt ? newest : null;
}

/** "4 MiB out of place": a rank's current size and place, beside the algorithm. */
export function kindWords(block: StepBlock): string {
  return `${formatSize(block.bytes)} ${block.in_place ? "in place" : "out of place"}`;
}

/** The slowest rank and its speed; empty while ranks are at different sizes. */
export function slowestWords({ items, ranks }: NewestSteps): string {
  const more = ranks > items.length ? `The slowest ${items.length} of ${plural(ranks, "rank")}. ` : "";
  const [first, ...others] = items;
  if (!first || others.length === 0 || others.some((block) => !isSameCall(block, first))) return more;
  const slowest = others.reduce((a, b) => (b.mean_us > a.mean_us ? b : a), first);
  const rate = slowest.busbw_gb_per_s === null ? "" : `, ${threeDigits(slowest.busbw_gb_per_s)} GB/s`;
  return `${more}Slowest: rank ${slowest.rank}, ${timeWords(slowest.mean_us)} a step${rate}.`;
}

/** "72.6 µs", "24.5 ms". */
function timeWords(timeUs: number): string {
  return timeUs < 1000 ? `${threeDigits(timeUs)} µs` : `${threeDigits(timeUs / 1000)} ms`;
}

function isSameCall(a: StepBlock, b: StepBlock): boolean {
  return a.algorithm === b.algorithm && a.bytes === b.bytes && a.in_place === b.in_place;
}

/** Over how many steps the means are; ranks may have reported different numbers. */
export function countWords(items: readonly StepBlock[]): string {
  const counts = items.map((block) => block.steps);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? plural(least, "step") : `${formatCount(least)} to ${plural(most, "step")}`;
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
  return `Last ${plural(recentUs.length, "step")}: ${timeWords(least)} to ${timeWords(most)}`;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
