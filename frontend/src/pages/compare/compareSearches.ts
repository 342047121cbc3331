/** Candidates of strategy searches side by side: rates, their differences, and the answer. Pure. */
import type { JobView, SearchCandidate, StrategySearch } from "../../api/types";
import { toCsv } from "../../lib/csv";
import { formatRate, plural } from "../../lib/format";
import { basesOf } from "../../lib/sweep/caveats";
import { differenceWords, type Mark, MARKS } from "../../lib/sweep/comparedRows";

export interface ComparedSearch {
  job: JobView;
  found: StrategySearch;
}

/** How a candidate's time of a sample differs from the one in the base job; below 1 it is faster. */
export interface SearchDelta {
  ratio: number;
  low: number | null;
  high: number | null;
  mark: Mark;
}

/** All candidates that ran in any of the jobs, in the order of the base job. */
export function candidateNames(items: readonly ComparedSearch[], base: ComparedSearch): string[] {
  const ran = ({ found }: ComparedSearch): string[] => found.candidates.filter((line) => line.samples_per_second != null).map(({ name }) => name);
  return [...new Set([base, ...items].flatMap(ran))];
}

export function lineOfCandidate({ found }: ComparedSearch, name: string): SearchCandidate | undefined {
  return found.candidates.find((line) => line.name === name);
}

/** "64,000 (62,100 to 65,900)". */
export function rateText(line: SearchCandidate | undefined): string {
  if (line?.samples_per_second == null) return "–";
  const { samples_per_second: rate, samples_per_second_low: low, samples_per_second_high: high } = line;
  return low == null || high == null ? formatRate(rate) : `${formatRate(rate)} (${formatRate(low)} to ${formatRate(high)})`;
}

interface Range {
  centre: number;
  low: number;
  high: number;
}

/** The interval of a rate's logarithm, with the mean in its middle; null if there is none. */
function range({ samples_per_second_low: low, samples_per_second_high: high }: SearchCandidate): Range | null {
  return low == null || high == null ? null : { centre: (Math.log(low) + Math.log(high)) / 2, low: Math.log(low), high: Math.log(high) };
}

/**
 * The ratio of the times of a sample with its 95 % interval, from the intervals of both rates (the method of variance
 * estimates recovery, Zou and Donner 2008); null if one of the two did not run.
 */
export function searchDelta(line: SearchCandidate | undefined, base: SearchCandidate | undefined): SearchDelta | null {
  if (line?.samples_per_second == null || base?.samples_per_second == null) return null;
  const [here, there] = [range(line), range(base)];
  if (!here || !there) return { ratio: base.samples_per_second / line.samples_per_second, low: null, high: null, mark: "unclear" };
  const middle = there.centre - here.centre;
  const low = middle - Math.hypot(there.centre - there.low, here.high - here.centre);
  const high = middle + Math.hypot(there.high - there.centre, here.centre - here.low);
  return { ratio: Math.exp(middle), low: Math.exp(low), high: Math.exp(high), mark: high < 0 ? "faster" : low > 0 ? "slower" : "unclear" };
}

/** "12.3 % faster (14 % faster to 10 % faster)". */
export function deltaText(delta: SearchDelta | null): string {
  if (!delta) return "–";
  const { ratio, low, high } = delta;
  return low === null || high === null ? differenceWords(ratio) : `${differenceWords(ratio)} (${differenceWords(low)} to ${differenceWords(high)})`;
}

/** The winners of both jobs, and how many candidates are faster or slower, in one sentence. */
export function searchAnswer(item: ComparedSearch, base: ComparedSearch): string {
  const both = candidateNames([item], base).flatMap((name) => searchDelta(lineOfCandidate(item, name), lineOfCandidate(base, name)) ?? []);
  const winners = winnerWords(item, base);
  if (both.length === 0) return `${winners}; no candidate ran in both.`;
  const count = (mark: Mark): number => both.filter((delta) => delta.mark === mark).length;
  const [faster, slower] = [count("faster"), count("slower")];
  const those = `${winners}; of ${plural(both.length, "candidate")} that ran in both, `;
  if (faster + slower === 0) return `${those}none is clearly faster or slower in job ${item.job.id} than in job ${base.job.id}.`;
  return `${those}job ${item.job.id} trains ${faster} clearly faster and ${slower} clearly slower than job ${base.job.id}.`;
}

function winnerWords(item: ComparedSearch, base: ComparedSearch): string {
  const [here, there] = [item.found.winner, base.found.winner];
  const [a, b] = [`job ${base.job.id}`, `job ${item.job.id}`];
  if (here === there) return here === null ? `Neither ${a} nor ${b} has a clear winner` : `${here} wins in ${a} and in ${b}`;
  const words = (name: string | null, job: string): string => (name === null ? `${job} has no clear winner` : `${name} wins in ${job}`);
  const text = `${words(there, a)}, and ${words(here, b)}`;
  return text.startsWith("job ") ? `J${text.slice(1)}` : text;
}

/** The table as Markdown, after the sentences; `url` is the address of the comparison. */
export function comparedMarkdown(items: readonly ComparedSearch[], base: ComparedSearch, url: string): string {
  const others = items.filter((item) => item !== base);
  const heads = [...items.map(({ job }) => `job ${job.id}, samples/s`), ...others.map(({ job }) => `job ${job.id} against job ${base.job.id}`)];
  const rows = candidateNames(items, base).map((name) => {
    const lines = items.map((item) => lineOfCandidate(item, name));
    const deltas = others.map((item) => deltaText(searchDelta(lineOfCandidate(item, name), lineOfCandidate(base, name))));
    return `| ${[name, ...lines.map(rateText), ...deltas].join(" | ")} |`;
  });
  return [
    `**[Strategy searches ${items.map(({ job }) => job.id).join(", ")}](${url})**`,
    ...others.map((item) => `- ${searchAnswer(item, base)}`),
    "",
    `| ${["candidate", ...heads].join(" | ")} |`,
    `|${"---|".repeat(heads.length + 1)}`,
    ...rows,
    "",
  ].join("\n");
}

/** A row for each candidate of each job. */
export function comparedCsv(items: readonly ComparedSearch[], base: ComparedSearch): string {
  const rows = candidateNames(items, base).flatMap((name) =>
    items.flatMap((item) => {
      const line = lineOfCandidate(item, name);
      if (!line) return [];
      const { state, samples_per_second, samples_per_second_low, samples_per_second_high } = line;
      const delta = item === base ? null : searchDelta(line, lineOfCandidate(base, name));
      const against = { base_job: base.job.id, ratio: delta?.ratio, ratio_low: delta?.low, ratio_high: delta?.high };
      return [{ candidate: name, job: item.job.id, state, samples_per_second, samples_per_second_low, samples_per_second_high, ...against }];
    }),
  );
  const columns = [
    "candidate", "job", "state", "samples_per_second", "samples_per_second_low", "samples_per_second_high", "base_job", "ratio", "ratio_low", "ratio_high",
  ] as const;
  const bases = basesOf(items.map(({ job }) => job));
  return toCsv(rows, columns, ({ job }) => bases(job));
}

/** The glyph and the words of a mark. */
export function markWords({ mark }: SearchDelta): { glyph: string; text: string } {
  return MARKS[mark];
}
