/** The job's state in a sentence, and its facts. */
import { Suspense, useState } from "react";
import { lazyPart } from "../../../components/lazyPart";
import type { BenchmarkJob, JobView, MeasurementView, RangeVerdict } from "../../../api/types";
import { Fact, factsClass } from "../../../components/Fact";
import { JobProgress } from "../../../components/JobProgress";
import { Unstable } from "../../../components/marks/Unstable";
import { QueryError } from "../../../components/states/QueryError";
import { Swatch } from "../../../components/marks/Swatch";
import { useRole } from "../../../components/hooks/useRole";
import { useNow } from "../../../components/hooks/useNow";
import { nextStep } from "../../../lib/nextStep";
import { rankCount } from "../../../lib/sweep/caption";
import { formatDuration, plural, secondsBetween, shortList, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { isActive, isBenchmark, isImported, isTerminal } from "../../../lib/state";
import { Advice } from "./Advice";
import { Blame } from "./Blame";
import { CheckFact } from "./CheckFact";
import { ExpectedFact } from "./ExpectedFact";
import { Insights } from "./Insights";
import { NextStepLink } from "./NextStepLink";
import { Sentence } from "./Sentence";
import classes from "./Situation.module.css";
import { useBase } from "../useBase";
import { useRangeVerdict } from "../useSizeRange";

// Few pages have a base job, training, or a node that is lost or drained.
const Difference = lazyPart(async () => (await import("./Difference")).Difference);
const TrainingFacts = lazyPart(async () => (await import("../training/TrainingFacts")).TrainingFacts);
const MissingNodes = lazyPart(async () => (await import("./MissingNodes")).MissingNodes);

/** At most this many algorithms have a tile; of more, one fewer. The chart has every one. */
const MOST_BEST = 4;
const MOST_NODES = 3;
const BY_MEDIANS = "The figures are means; medians of rounds decide.";

interface Props {
  job: JobView;
  /** undefined: they are loading, and nothing is said of them. */
  rows: readonly MeasurementView[] | undefined;
}

export function Situation({ job, rows }: Props) {
  const part = useRangeVerdict(job);
  const { mayChange } = useRole();
  const step = nextStep(job);
  const [isWatched] = useState(!isTerminal(job.state));
  return (
    <section className="card" aria-label="Outcome">
      <div className={classes.card} data-settled={!isWatched && (!isBenchmark(job) || isImported(job)) || undefined}>
        <div className={classes.sentence} aria-busy={part.query.isPlaceholderData || undefined}>
          <Sentence job={job} rows={rows} part={part.data} />
          {job.fewer_ranks && <p>{job.fewer_ranks}</p>}
          <QueryError what="The verdict on these sizes could not be loaded" query={part.query} />
          {job.state === "failed" && <Blame job={job} />}
          {!isTerminal(job.state) && (
            <Suspense>
              <MissingNodes job={job} />
            </Suspense>
          )}
          <Explanation job={job} part={part.data} />
          {job.note && (
            <p className={classes.note} title={job.note}>
              <span className="dim">Note: </span>
              {job.note}
            </p>
          )}
          {isActive(job.state) && (
            <div className={classes.progress}>
              <JobProgress job={job} />
            </div>
          )}
        </div>
        {mayChange && step && <NextStepLink step={step} />}
      </div>
      <dl className={`${factsClass} ${classes.facts}`}>
        {isBenchmark(job) ? (
          <SweepFacts job={job} rows={rows} />
        ) : (
          <Suspense fallback={<Fact label="Ranks" value={job.ranks} note={where(job)} />}>
            <TrainingFacts job={job} where={where(job)} />
          </Suspense>
        )}
        {!isImported(job) && <Took job={job} />}
      </dl>
      {!isImported(job) && <Insights job={job} />}
    </section>
  );
}

function SweepFacts({ job, rows }: Props & { job: BenchmarkJob }) {
  const { algorithms, topology } = job.spec.benchmark;
  const base = useBase();
  const names = shownFirst(job, algorithms);
  const others = algorithms.length - names.length;
  return (
    <>
      {names.map((name) => (
        <AlgorithmFact key={name} job={job} name={name} rows={rows} />
      ))}
      {others > 0 && <Fact label={isTerminal(job.state) ? "Slower" : "Others"} value={others} unit="algorithms" note="in the chart" />}
      {base !== null && base !== job.id && (
        <Suspense fallback={<Fact label="Against base job" value="–" />}>
          <Difference job={job} baseId={base} />
        </Suspense>
      )}
      {!isImported(job) && <ExpectedFact job={job} />}
      <CheckFact rows={rows} isOn={job.spec.benchmark.check} wrong={job.summary.wrong} isOver={isTerminal(job.state)} />
      <Fact
        label={topology ? "Simulated ranks" : "Ranks"}
        value={rankCount(job.spec)}
        note={where(job, topology ? "by one process " : "")}
      />
    </>
  );
}

/** The job's algorithms in its order, so that no tile moves. Of many, the ones with the best bandwidths once the job has ended. */
function shownFirst(job: BenchmarkJob, algorithms: readonly string[]): readonly string[] {
  if (algorithms.length <= MOST_BEST) return algorithms;
  const best = isTerminal(job.state) ? job.summary.best.map(({ algorithm }) => algorithm) : [];
  const first = [...new Set([...best, ...algorithms])].slice(0, MOST_BEST - 1);
  return algorithms.filter((name) => first.includes(name));
}

interface AlgorithmProps {
  job: BenchmarkJob;
  name: string;
  rows: Props["rows"];
}

/** An algorithm's best bandwidth, which the legend, the list and the overview show too. */
function AlgorithmFact({ job, name, rows }: AlgorithmProps) {
  const label = <AlgorithmLabel name={name} />;
  const best = rows && job.summary.best.find(({ algorithm }) => algorithm === name);
  const none = !rows ? "…" : isTerminal(job.state) ? "no row" : "no row yet";
  if (!best) return <Fact label={label} value="–" unit="GB/s" note={none} />;
  return (
    <Fact
      label={label}
      value={threeDigits(best.busbw_gb_per_s)}
      unit="GB/s"
      note={
        <>
          best, {formatSize(best.size_bytes)}
          {best.in_place && " in place"}
          {best.is_unstable && <Unstable />}
        </>
      }
    />
  );
}

function where(job: JobView, how = ""): string {
  if (job.spec.imported) return job.spec.imported.nodes == null ? "number of nodes not stated" : `on ${plural(job.spec.imported.nodes, "node")}`;
  const nodes = shortList(job.attempts.at(-1)?.nodes ?? [], MOST_NODES);
  return nodes ? `${how}on ${nodes}` : isTerminal(job.state) ? "on no node" : "no node yet";
}

function AlgorithmLabel({ name }: { name: string }) {
  return (
    <span className={classes.label}>
      <Swatch algorithm={name} />
      {name}
    </span>
  );
}

/** Why the winner is faster, or what to do next. */
function Explanation({ job, part }: { job: JobView; part: RangeVerdict | undefined }) {
  if (job.state !== "succeeded") return <Advice text={job.advice} />;
  const { summary } = job;
  const why = summary.kind === "benchmark" ? (part ?? summary).explanation : "";
  const text = isBenchmark(job) && isOutdone(job) ? `${why} ${BY_MEDIANS}` : why;
  return text && <p className="dim">{text}</p>;
}

/** Whether another algorithm clearly wins where the one with the best bandwidth has it. */
function isOutdone({ summary: { best: [best], winners } }: BenchmarkJob): boolean {
  return winners.some(
    (winner) =>
      best?.in_place === winner.in_place && winner.algorithm !== best.algorithm &&
      winner.min_bytes <= best.size_bytes && best.size_bytes <= winner.max_bytes,
  );
}

function Took({ job }: { job: JobView }) {
  const now = useNow(isActive(job.state));
  const attempts = job.attempts.length;
  const limit = job.state === "succeeded" ? "" : `, limit ${formatDuration(job.spec.time_limit_seconds)}`;
  const note = attempts > 1 ? `, attempt ${attempts}` : limit;
  if (!job.started_at) return <Fact label="Took" value="–" note="not started" />;
  const seconds = secondsBetween(job.started_at, job.finished_at ?? new Date(now).toISOString());
  return (
    <Fact
      label={job.finished_at ? "Took" : "Running for"}
      value={formatDuration(seconds)}
      note={`${doneWords(job)}${note}`}
    />
  );
}

/** "300 rows"; "12 rows of 300" while some are missing, "12 steps so far" while the number of all is not known. */
function doneWords(job: JobView): string {
  const { done, total } = job.progress;
  const words = plural(done, isBenchmark(job) ? "row" : job.spec.strategy_search ? "run" : job.spec.diagnosis ? "pair" : "step");
  if (total === null) return isTerminal(job.state) ? words : `${words} so far`;
  return done === total ? words : `${words} of ${total}`;
}
