/** Where the job stands, in a sentence, and its facts. */
import type { JobView, MeasurementView } from "../../api/types";
import { Fact, factsClass } from "../../components/Fact";
import { JobProgress } from "../../components/JobProgress";
import { Swatch } from "../../components/Swatch";
import { useNow } from "../../components/useNow";
import { rankCount } from "../../lib/caption";
import { formatDateTime, formatDuration, plural, secondsBetween, threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";
import { isActive } from "../../lib/state";
import { CheckFact } from "./CheckFact";
import classes from "./Situation.module.css";

/** As many algorithms have a fact of their own; of more, all but one of these. The chart has every one. */
const MOST_BEST = 4;

interface Props {
  job: JobView;
  rows: readonly MeasurementView[];
}

export function Situation({ job, rows }: Props) {
  const { best: all } = job.summary;
  const fastest = all.length > MOST_BEST ? all.slice(0, MOST_BEST - 1) : all;
  const others = all.length - fastest.length;
  const nodes = job.attempts.at(-1)?.nodes.join(", ");
  return (
    <section className="card" aria-label="Outcome">
      <div className={classes.sentence}>
        <Sentence job={job} last={rows.at(-1)} />
        <JobProgress job={job} />
      </div>
      <dl className={`${factsClass} ${classes.facts}`}>
        {fastest.map((best) => (
          <Fact
            key={best.algorithm}
            label={<AlgorithmLabel name={best.algorithm} />}
            value={threeDigits(best.busbw_gb_per_s)}
            unit="GB/s"
            note={`best busbw: ${formatSize(best.size_bytes)}, ${best.in_place ? "in place" : "out of place"}`}
          />
        ))}
        {others > 0 && <Fact label="Slower" value={others} unit="algorithms" note="in the chart" />}
        <CheckFact rows={rows} isOn={job.spec.benchmark.check} wrong={job.summary.wrong} />
        <Fact
          label={job.spec.benchmark.topology ? "Simulated ranks" : "Ranks"}
          value={rankCount(job.spec)}
          note={nodes ? `${job.spec.benchmark.topology ? "by one process " : ""}on ${nodes}` : "no node yet"}
        />
        <Took job={job} />
      </dl>
    </section>
  );
}

function AlgorithmLabel({ name }: { name: string }) {
  return (
    <span className={classes.label}>
      <Swatch algorithm={name} />
      {name}
    </span>
  );
}

function Sentence({ job, last }: { job: JobView; last: MeasurementView | undefined }) {
  if (job.state === "failed" || job.state === "cancelled") {
    return (
      <p className={job.state === "failed" ? classes.failure : classes.verdict}>
        {job.state === "failed" && <span aria-hidden="true">✕ </span>}
        {job.message || `The job was ${job.state}.`} <code>{job.reason}</code>
      </p>
    );
  }
  if (job.pending) {
    const start = job.pending.estimated_start;
    return (
      <p className={classes.verdict}>
        {job.pending.sentence} {start && <span className="dim">Expected to start {formatDateTime(start)}.</span>}
      </p>
    );
  }
  if (job.state === "running" && last) {
    // The verdict of a few small sizes would mislead; it is told at the end.
    return <p className={classes.verdict}>The ranks run; {formatSize(last.size_bytes)} is being measured.</p>;
  }
  return <p className={classes.verdict}>{WAITING[job.state] ?? (job.summary.verdict || "The job has ended.")}</p>;
}

const WAITING: Partial<Record<JobView["state"], string>> = {
  held: "The job is held back; it starts when it is released.",
  queued: "The scheduler has not looked at the job yet.",
  starting: "The nodes check themselves and start the ranks.",
  running: "The ranks run; the first size is being measured.",
  stopping: "The ranks end, and their nodes prove that nothing is left.",
};

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
      note={`${plural(job.progress.done, "row")} of ${job.progress.total}, ${note}`}
    />
  );
}
