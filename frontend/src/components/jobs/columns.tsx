/** The columns of a list of jobs: their widths, their headings, and the cell of each job. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { BenchmarkJob, JobView, JudgementKind, SizeBusbw, Standing } from "../../api/types";
import { AgeText } from "../Age";
import { JobProgress } from "../JobProgress";
import { CaveatSign } from "../marks/Caveats";
import { type Caveat, listCaveats, unstableWords } from "../../lib/sweep/caveats";
import { SimulatedBadge } from "../marks/SimulatedBadge";
import { Sparkline } from "../Sparkline";
import { StateBadge } from "../marks/StateBadge";
import { rankCount } from "../../lib/sweep/caption";
import { formatDateTime, formatDuration, formatRate, plural, secondsBetween, shortList, threeDigits } from "../../lib/format";
import { JUDGEMENTS } from "../../lib/judgement";
import type { SortColumn } from "../../lib/search/jobFilter";
import { formatSize } from "../../lib/size";
import { resultLine } from "../../lib/sweep/results";
import { standingWords } from "../../lib/sweep/standing";
import { isBenchmark, isForeign, isSimulated, JOB_STATES, jobName, jobTitle, outcome, simulatedPrefix, workTitle } from "../../lib/state";
import classes from "./JobsTable.module.css";

/** A row's relation to the others. */
export interface Mark {
  isPinned: boolean;
  isBase: boolean;
}

export interface Column {
  name: string;
  heading: string;
  /** What the heading means, if it is short. */
  meaning?: string;
  /** Words after the heading, for what must not be overlooked. */
  aside?: string;
  sort?: SortColumn;
  /** Undefined: the column shares the remaining width. */
  widthPx?: number;
  /** The window width from which the column is shown; columns further from the result need more. */
  fromPx?: number;
  isNumber?: boolean;
  className?: string | undefined;
  /** More text, on hover. */
  title?: (job: JobView) => string | undefined;
  content: (job: JobView, mark: Mark) => ReactNode;
}

const MOST_ALGORITHMS = 3;

/** From this window width on, speed and result have columns; in a narrower window they are shown below the name. */
export const RESULT_PX = 640;

const COLUMNS: readonly Column[] = [
  { name: "state", heading: "State", widthPx: 116, content: (job) => <StateBadge look={JOB_STATES[job.state]} /> },
  { name: "id", heading: "Id", sort: "id", widthPx: 56, fromPx: 640, isNumber: true, className: "dim", content: (job) => job.id },
  { name: "name", heading: "Name", sort: "name", className: classes.name, content: (job, mark) => <Name job={job} {...mark} /> },
  { name: "work", heading: "Work", widthPx: 100, fromPx: 960, className: classes.cut, title: workTitle, content: workTitle },
  { name: "algorithms", heading: "Algorithms", widthPx: 116, fromPx: 1400, className: classes.cut, title: allAlgorithms, content: algorithms },
  { name: "ranks", heading: "Ranks", sort: "ranks", widthPx: 72, fromPx: 640, isNumber: true, title: ranksOnNodes, content: ranks },
  { name: "sizes", heading: "Sizes", widthPx: 132, fromPx: 1800, className: classes.cut, title: sizes, content: sizes },
  { name: "result", heading: "Result", aside: "medians decide", meaning: "Medians of rounds decide which is fastest; Speed is a mean", fromPx: RESULT_PX, className: classes.cut, title: resultWords, content: result },
  { name: "speed", heading: "Speed", sort: "busbw", widthPx: 148, fromPx: RESULT_PX, isNumber: true, title: speedAt, content: speed },
  {
    name: "judgement",
    heading: "Judgement",
    meaning: "Whether its bandwidth was what was to be expected; the job's page says why",
    widthPx: 112,
    fromPx: 1200,
    // Most jobs of a long list may be unknown, which needs no look of its own.
    content: ({ judgement }) => (judgement === "unknown" ? JUDGEMENTS.unknown.text : judgement && <StateBadge look={JUDGEMENTS[judgement]} />),
  },
  {
    name: "at-max-size",
    heading: "At max size (GB/s)",
    meaning: "Bus bandwidth at the largest size, of the algorithm and place with the best of all",
    widthPx: 138,
    fromPx: 1800,
    isNumber: true,
    title: (job) => fastestAt(job, largest(job)),
    content: atLargest,
  },
  {
    name: "of-limit",
    heading: "Of limit",
    meaning: "The same as a share of what the links allow",
    widthPx: 84,
    fromPx: 1400,
    isNumber: true,
    title: limitOf,
    content: shareOfLimit,
  },
  {
    name: "p99-at-min",
    heading: "p99 at min (µs)",
    meaning: "99th percentile of its time at the smallest size",
    widthPx: 116,
    fromPx: 1800,
    isNumber: true,
    title: ofIterations,
    content: p99,
  },
  {
    name: "over-sizes",
    heading: "Over sizes",
    meaning: "Its bus bandwidth over sizes",
    widthPx: 88,
    fromPx: 1200,
    content: (job) => isBenchmark(job) && <Sparkline sizes={job.summary.sizes} words={sparkWords(job)} />,
  },
];

const AGE: Column = {
  name: "age",
  heading: "Age",
  widthPx: 80,
  fromPx: 480,
  isNumber: true,
  title: took,
  content: (job) => <AgeText iso={job.created_at} />,
};

/** Widths of the window at which columns come. */
export const STEPS_PX = [480, 640, 960, 1200, 1400, 1800];

/** The columns that a window of this width shows, from state to age; with a base job also the difference to it. */
export function columnsFor(widthPx: number, baseJob: JobView | undefined, standings: ReadonlyMap<number, Standing>): Column[] {
  const all = baseJob ? [...COLUMNS, differenceTo(baseJob, standings), AGE] : [...COLUMNS, AGE];
  const shown = all.filter(({ fromPx = 0 }) => fromPx <= widthPx);
  return shown.map((column) => {
    if (column.name === "name") return nameFor(widthPx, column);
    return column.name === "result" && widthPx >= ALL_PX ? { ...column, widthPx: RESULT_LEAST_PX } : column;
  });
}

/** The result is longer than most names: it gets the rest of the width if there is enough. */
const NAME_PX = 180;
const WIDE_PX = 1200;

/** From this window width on the result keeps its width; with a base job the table may scroll. */
const ALL_PX = 1800;
const RESULT_LEAST_PX = 170;

function nameFor(widthPx: number, column: Column): Column {
  if (widthPx < RESULT_PX) return withResult(column);
  return widthPx < WIDE_PX ? column : { ...column, widthPx: NAME_PX };
}

/** The judgements that a narrow list has room for: those after which somebody acts. */
const TOLD_IN_BRIEF: ReadonlySet<string> = new Set<JudgementKind>(["low", "above", "impossible"]);

/** The progress, or the speed and the result, on a line of its own; before them a judgement that says that something is wrong. */
function withResult(column: Column): Column {
  return {
    ...column,
    content: (job, mark) => (
      <>
        {column.content(job, mark)}
        <div className={`dim ${classes.cut}`} title={resultWords(job)}>
          {job.judgement && TOLD_IN_BRIEF.has(job.judgement) && <>{JUDGEMENTS[job.judgement].glyph} {JUDGEMENTS[job.judgement].text} · </>}
          {isMeasured(job) && <>{speed(job)} · </>}
          {result(job)}
        </div>
      </>
    ),
  };
}

function differenceTo(baseJob: JobView, standings: ReadonlyMap<number, Standing>): Column {
  const words = ({ id }: JobView) => {
    const standing = standings.get(id);
    return standing && standingWords(standing);
  };
  return {
    name: "difference",
    heading: `Δ to ${baseJob.id}`,
    meaning: `How much faster than job ${baseJob.id}: one algorithm, out of place, at the size nearest to 1 MiB that both have; ≈ where the difference is not significant`,
    widthPx: 76,
    isNumber: true,
    title: (job) => words(job)?.why,
    content: (job) => {
      const found = words(job);
      if (!found || found.text === "–") return <span className="dim">–</span>;
      return found.isClear ? found.text : <span className="dim">≈ {found.text}</span>;
    },
  };
}

function Name({ job, isPinned, isBase }: Mark & { job: JobView }) {
  return (
    <>
      {isSimulated(job) && (
        <>
          <SimulatedBadge isInRow />{" "}
        </>
      )}
      {isForeign(job) && <span className="dim">imported </span>}
      <Link to="/jobs/$jobId" params={{ jobId: job.id }} title={jobName(job)}>
        {jobTitle(job)}
      </Link>
      {isBase && <span className="dim"> ★ base job</span>}
      {isPinned && !isBase && <span title="Pinned"> ⌖</span>}
      {job.note && (
        <span className="dim" title={job.note}>
          {" "}
          {firstLine(job.note)}
        </span>
      )}
    </>
  );
}

/** The cell shows as much of it as there is room for. */
function firstLine(note: string): string {
  return note.trim().split("\n")[0] ?? "";
}

function algorithms({ spec }: JobView): string {
  if (spec.benchmark) return shortList(spec.benchmark.algorithms, MOST_ALGORITHMS);
  return spec.training ? `${spec.training.strategy}, ${spec.training.all_reduce}` : "";
}

function allAlgorithms(job: JobView): string | undefined {
  if (!isBenchmark(job)) return undefined;
  const { algorithms, transport } = job.spec.benchmark;
  return `${algorithms.join(", ")}${transport === "auto" ? "" : ` over ${transport}`}`;
}

function rankTotal(job: JobView): number {
  return isBenchmark(job) ? rankCount(job.spec) : job.ranks;
}

/** The nodes on which the ranks last ran; simulated ranks have none. */
function nodeTotal(job: JobView): number {
  return isSimulated(job) ? 0 : (job.attempts.at(-1)?.nodes.length ?? 0);
}

/** "4 on 2". */
function ranks(job: JobView): string {
  const nodes = nodeTotal(job);
  return nodes > 0 ? `${rankTotal(job)} on ${nodes}` : String(rankTotal(job));
}

function ranksOnNodes(job: JobView): string | undefined {
  const nodes = nodeTotal(job);
  return nodes > 0 ? `${plural(rankTotal(job), "rank")} on ${plural(nodes, "node")}` : undefined;
}

/** Training and scripts have no message sizes. */
function sizes({ spec }: JobView): string {
  if (spec.benchmark) return `${formatSize(spec.benchmark.min_bytes)} – ${formatSize(spec.benchmark.max_bytes)}`;
  return spec.training ? `batch ${spec.training.global_batch_size}` : "";
}

function result(job: JobView): ReactNode {
  if (job.state === "failed") return <span className={classes.failed}>{resultWords(job)}</span>;
  return shortResult(job) ?? resultWords(job) ?? <JobProgress job={job} />;
}

/**
 * The winners by size in one line: "Tied: direct or ring". A sweep of one algorithm compares nothing, and its number is in
 * the next column, as the samples per second of training are.
 */
function shortResult(job: JobView): string | undefined {
  if (job.state !== "succeeded") return undefined;
  const { summary } = job;
  if (summary.kind !== "benchmark") return outcome({ ...job, summary: { ...summary, samples_per_second: null } } as JobView);
  if (!isBenchmark(job) || job.summary.wrong > 0) return undefined;
  const [best, ...others] = job.summary.best;
  if (best && others.length === 0) return `only ${best.algorithm}`;
  return resultLine(job.summary.results);
}

function resultWords(job: JobView): string | undefined {
  if (job.state === "failed") return job.message || (job.reason ?? undefined);
  return job.pending?.sentence ?? (job.state === "succeeded" ? outcome(job) : undefined);
}

/** A benchmark's best bus bandwidth, marked if it should not be compared; for training the samples per second. */
function speed(job: JobView): ReactNode {
  if (isBenchmark(job)) {
    const [best] = job.summary.best;
    return best ? signed(ofRow(job, best), `${threeDigits(best.busbw_gb_per_s)} GB/s`) : "–";
  }
  const perSecond = job.summary.kind === "benchmark" ? null : job.summary.samples_per_second;
  return perSecond == null ? "–" : signed(listCaveats(job, null), `${formatRate(perSecond)} samples/s`);
}

/** What a number was measured at. */
type AtSize = Pick<SizeBusbw, "size_bytes" | "is_unstable">;

/**
 * The caveats of a number and, where it has any, those of the row's other numbers: one mark says what would be marked twice.
 * The numbers in the order of their columns are the speed, that at the largest size and that at the smallest size.
 */
function ofRow(job: BenchmarkJob, one: AtSize): Caveat[] {
  const found = listCaveats(job, one);
  const { sizes } = job.summary;
  const unstable = [sizes[0], one, sizes.at(-1)].flatMap((size) => (size?.is_unstable ? formatSize(size.size_bytes) : []));
  if (found.length === 0 || unstable.length === 0) return found;
  const word = `unstable at ${[...new Set(unstable)].join(", ")}`;
  return [...found.filter((caveat) => caveat.word !== "unstable"), { word, why: unstableWords() }];
}

/** A number beside the speed, marked if neither the speed nor a number before it is. */
function besideSpeed(job: BenchmarkJob, one: AtSize, text: string, before?: AtSize): ReactNode {
  const isSaid = [job.summary.best[0], before].some((other) => other && listCaveats(job, other).length > 0);
  return isSaid ? text : signed(ofRow(job, one), text);
}

/** A number, marked if it has caveats. */
function signed(found: readonly Caveat[], text: string): ReactNode {
  return found.length === 0 ? text : <><CaveatSign found={found} isInRow />{text}</>;
}

/** The caveats of all its sizes. */
function sparkWords(job: BenchmarkJob): string[] {
  const isUnstable = job.summary.sizes.some(({ is_unstable }) => is_unstable);
  const words = listCaveats(job, { is_unstable: isUnstable }).map(({ word }) => word);
  return isSimulated(job) ? ["SIMULATED", ...words] : words;
}

function isMeasured(job: JobView): boolean {
  return job.state === "succeeded" && speed(job) !== "–";
}

function speedAt(job: JobView): string | undefined {
  const best = isBenchmark(job) ? job.summary.best[0] : undefined;
  // Nothing of a simulation was timed.
  const count = best?.iterations == null || isSimulated(job) ? "" : `, n=${best.iterations}`;
  return best && `${simulatedPrefix(job)}${best.algorithm} at ${formatSize(best.size_bytes)}${count}`;
}

function atLargest(job: JobView): ReactNode {
  const size = largest(job);
  return size && isBenchmark(job) ? besideSpeed(job, size, threeDigits(size.busbw_gb_per_s)) : "–";
}

function largest(job: JobView): SizeBusbw | undefined {
  return isBenchmark(job) ? job.summary.sizes.at(-1) : undefined;
}

/** "ring, in place at 1 KiB": the algorithm and the size of a number. */
function fastestAt(job: JobView, size: SizeBusbw | undefined): string | undefined {
  const best = isBenchmark(job) ? job.summary.best[0] : undefined;
  return best && size && `${simulatedPrefix(job)}${best.algorithm}, ${best.in_place ? "in place" : "out of place"} at ${formatSize(size.size_bytes)}`;
}

function shareOfLimit(job: JobView): ReactNode {
  if (!isBenchmark(job)) return "–";
  const [size, limit] = [largest(job), job.summary.limit_gb_per_s];
  return size && limit ? besideSpeed(job, size, `${threeDigits((100 * size.busbw_gb_per_s) / limit)} %`) : "–";
}

function limitOf(job: JobView): string | undefined {
  if (!isBenchmark(job)) return undefined;
  const [at, limit] = [fastestAt(job, largest(job)), job.summary.limit_gb_per_s];
  if (!limit) return "the rate of its links is not known";
  return at && `${at}, of ${threeDigits(limit)} GB/s`;
}

function p99(job: JobView): ReactNode {
  if (!isBenchmark(job)) return "–";
  const { min_size_p99_us: time, sizes: [smallest] } = job.summary;
  return time == null || !smallest ? "–" : besideSpeed(job, smallest, threeDigits(time), largest(job));
}

/** The row's own iterations: skipped iterations or several cycles make this differ from the requested number. */
function ofIterations(job: JobView): string | undefined {
  if (!isBenchmark(job)) return undefined;
  const at = fastestAt(job, job.summary.sizes[0]);
  const count = job.summary.min_size_iterations;
  return at && (count == null ? at : `${at}, of ${plural(count, "iteration")}`);
}

/** The exact time, and how long it took. */
function took({ created_at: created, started_at: start, finished_at: end }: JobView): string {
  return [`submitted ${formatDateTime(created)}`, ...(start && end ? [`it took ${formatDuration(secondsBetween(start, end))}`] : [])].join("; ");
}
