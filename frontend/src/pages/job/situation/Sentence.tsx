import type { JobView, MeasurementView, RangeVerdict } from "../../../api/types";
import { formatDateTime } from "../../../lib/format";
import { formatSize, stepOf, sweepSizes } from "../../../lib/size";
import { beforeSteps, disturbance, isBenchmark, outcome } from "../../../lib/state";
import { useView } from "../useView";
import { awaited } from "./awaited";
import classes from "./Situation.module.css";

const OTHER_RATIO =
  "The ratio is the median over rounds that timed both. Two means give another one, as a few slow iterations raise a mean.";

interface Props {
  job: JobView;
  /** undefined: they are loading. */
  rows: readonly MeasurementView[] | undefined;
  /** The verdict on a part of the sizes; undefined: the sentence is about all of them. */
  part: RangeVerdict | undefined;
}

/** The job's state in a sentence: why and how long it waits, how far it is, or its result. */
export function Sentence({ job, rows, part }: Props) {
  if (job.state === "failed" || job.state === "cancelled") return <Ended job={job} />;
  if (job.pending) return <Waiting pending={job.pending} />;
  const text = part ? part.verdict || "The job measured no size in this range." : sentence(job, rows);
  return (
    <p className={classes.verdict} title={text.includes("median of ") ? OTHER_RATIO : undefined}>
      {job.state === "succeeded" && disturbance(job) && <span className={classes.disturbed}>Disturbed. </span>}
      {text} {part && <AllSizes />}
    </p>
  );
}

function AllSizes() {
  const [, set] = useView();
  return (
    <button type="button" className={classes.all} onClick={() => set({ min_bytes: undefined, max_bytes: undefined })}>
      All sizes
    </button>
  );
}

function Ended({ job }: { job: JobView }) {
  const isFailed = job.state === "failed";
  return (
    <p className={isFailed ? classes.failure : classes.verdict}>
      {isFailed && <span aria-hidden="true">✕ </span>}
      {job.message || `The job was ${job.state}.`} <code>{job.reason}</code>
    </p>
  );
}

function Waiting({ pending: { sentence: why, position, estimated_start: start } }: { pending: NonNullable<JobView["pending"]> }) {
  return (
    <p className={classes.verdict}>
      {why}{" "}
      <span className="dim">
        {position != null && `Place ${position} in the queue. `}
        {start && `Expected to start ${formatDateTime(start)}.`}
      </span>
    </p>
  );
}

function sentence(job: JobView, rows: Props["rows"]): string {
  if (job.state === "starting") {
    const late = awaited(job.attempts.at(-1)?.members ?? []);
    return late ? `Waits for ${late}.` : ON_ITS_WAY.starting;
  }
  if (job.state === "running") return running(job, rows);
  return job.state in ON_ITS_WAY ? ON_ITS_WAY[job.state as keyof typeof ON_ITS_WAY] : outcome(job) || "The job has ended.";
}

/** A verdict on the first small sizes would mislead; it comes at the end. */
function running(job: JobView, rows: Props["rows"]): string {
  if (!isBenchmark(job)) return outcome(job) || beforeSteps(job);
  if (!rows) return "The ranks run.";
  const last = rows.at(-1);
  if (!last) return "The ranks run; the first size is being measured.";
  const { benchmark } = job.spec;
  const sizes = sweepSizes(benchmark.min_bytes, benchmark.max_bytes, stepOf(benchmark)).length;
  const done = new Set(rows.map((row) => row.size_bytes)).size;
  return `The ranks run; ${formatSize(last.size_bytes)} is being measured, size ${Math.min(done, sizes)} of ${sizes}.`;
}

const ON_ITS_WAY = {
  held: "The job is held; it can start once it is released.",
  queued: "The scheduler has not considered the job yet.",
  starting: "The nodes check themselves and start the ranks.",
  stopping: "The ranks are ending; their nodes check that no process is left.",
} as const;
