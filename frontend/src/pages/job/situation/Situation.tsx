/** The job's state in a sentence, and its facts. */
import { lazy, Suspense, useMemo } from "react";
import type { BenchmarkJob, JobView, MeasurementView } from "../../../api/types";
import { Fact, factsClass } from "../../../components/Fact";
import { JobProgress } from "../../../components/JobProgress";
import { Unstable } from "../../../components/marks/Unstable";
import { Swatch } from "../../../components/marks/Swatch";
import { useNow } from "../../../components/hooks/useNow";
import { rankCount } from "../../../lib/sweep/caption";
import { comparedRows, isUnstable } from "../../../lib/sweep/cycles";
import { formatDuration, plural, secondsBetween, shortList, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { isActive, isBenchmark, isTerminal } from "../../../lib/state";
import { Advice } from "./Advice";
import { Blame } from "./Blame";
import { CheckFact } from "./CheckFact";
import { LateNodes } from "./LateNodes";
import { Sentence } from "./Sentence";
import classes from "./Situation.module.css";
import { TrainingFacts } from "../training/TrainingFacts";
import { useBase } from "../useBase";

// Few pages have a base job.
const Difference = lazy(async () => ({ default: (await import("./Difference")).Difference }));

/** At most this many algorithms have a fact of their own; of more, one fewer. The chart has every one. */
const MOST_BEST = 4;
const MOST_NODES = 3;

interface Props {
  job: JobView;
  /** undefined: they are loading, and nothing is said of them. */
  rows: readonly MeasurementView[] | undefined;
}

export function Situation({ job, rows }: Props) {
  return (
    <section className="card" aria-label="Outcome">
      <div className={classes.sentence}>
        <Sentence job={job} rows={rows} />
        {job.state === "failed" && <Blame job={job} />}
        {isActive(job.state) && <LateNodes job={job} />}
        <Explanation job={job} />
        {isActive(job.state) && (
          <div className={classes.progress}>
            <JobProgress job={job} />
          </div>
        )}
      </div>
      <dl className={`${factsClass} ${classes.facts}`}>
        {isBenchmark(job) ? <SweepFacts job={job} rows={rows} /> : <TrainingFacts job={job} where={where(job)} />}
        <Took job={job} />
      </dl>
    </section>
  );
}

function SweepFacts({ job, rows }: Props & { job: BenchmarkJob }) {
  const { algorithms, topology } = job.spec.benchmark;
  const { best } = job.summary;
  const base = useBase();
  const compared = useMemo(() => comparedRows(rows ?? []), [rows]);
  // First the fastest at the verdict's size, then those without a row: their number is the same from the start.
  const names = [...new Set([...compared, ...(rows ? best : [])].map(({ algorithm }) => algorithm).concat(algorithms))];
  const first = names.length > MOST_BEST ? names.slice(0, MOST_BEST - 1) : names;
  const others = names.length - first.length;
  return (
    <>
      {first.map((name, place) => (
        <AlgorithmFact key={place} job={job} name={name} row={compared.find((row) => row.algorithm === name)} isLoaded={rows !== undefined} />
      ))}
      {others > 0 && <Fact label={best.length < names.length ? "Others" : "Slower"} value={others} unit="algorithms" note="in the chart" />}
      {base !== null && base !== job.id && (
        <Suspense fallback={<Fact label="Against base job" value="–" />}>
          <Difference job={job} baseId={base} />
        </Suspense>
      )}
      <CheckFact rows={rows} isOn={job.spec.benchmark.check} wrong={job.summary.wrong} isOver={isTerminal(job.state)} />
      <Fact
        label={topology ? "Simulated ranks" : "Ranks"}
        value={rankCount(job.spec)}
        note={where(job, topology ? "by one process " : "")}
      />
    </>
  );
}

interface AlgorithmProps {
  job: BenchmarkJob;
  name: string;
  /** The row at the verdict's size; undefined: there is none. */
  row: MeasurementView | undefined;
  isLoaded: boolean;
}

/** An algorithm's bandwidth at the verdict's size, with its best one. */
function AlgorithmFact({ job, name, row, isLoaded }: AlgorithmProps) {
  const label = <AlgorithmLabel name={name} />;
  const best = isLoaded ? job.summary.best.find(({ algorithm }) => algorithm === name) : undefined;
  const none = !isLoaded ? "…" : isTerminal(job.state) ? "no row" : "no row yet";
  if (!row && !best) return <Fact label={label} value="–" unit="GB/s" note={none} />;
  const isBest = row !== undefined && best?.size_bytes === row.size_bytes && best.in_place === row.in_place;
  // At most two lines in a narrow tile: more would move the content below.
  const count = row && row.transport !== "simulated" ? `, n=${row.iterations}` : "";
  return (
    <Fact
      label={label}
      value={row ? threeDigits(row.busbw_gb_per_s) : "–"}
      unit="GB/s"
      note={
        <>
          {row && `${formatSize(row.size_bytes)}${count}`}
          {row && isUnstable(row) && <Unstable cvPercent={row.cv_percent} />}
          {best && !isBest && (
            <span>
              {row && "; "}best {threeDigits(best.busbw_gb_per_s)} at {formatSize(best.size_bytes)}
              {best.in_place && " in place"}
            </span>
          )}
          {best?.is_unstable && !isBest && <Unstable />}
        </>
      }
    />
  );
}

function where(job: JobView, how = ""): string {
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
function Explanation({ job }: { job: JobView }) {
  if (job.state !== "succeeded") return <Advice text={job.advice} />;
  const text = job.summary.kind === "benchmark" ? job.summary.explanation : "";
  return text && <p className="dim">{text}</p>;
}

function Took({ job }: { job: JobView }) {
  const now = useNow(isActive(job.state));
  const attempts = job.attempts.length;
  const note = attempts > 1 ? `attempt ${attempts}` : `limit ${formatDuration(job.spec.time_limit_seconds)}`;
  if (!job.started_at) return <Fact label="Took" value="–" note="not started" />;
  const seconds = secondsBetween(job.started_at, job.finished_at ?? new Date(now).toISOString());
  return (
    <Fact
      label={job.finished_at ? "Took" : "Running for"}
      value={formatDuration(seconds)}
      note={`${plural(job.progress.done, isBenchmark(job) ? "row" : "step")} of ${job.progress.total ?? "?"}, ${note}`}
    />
  );
}
