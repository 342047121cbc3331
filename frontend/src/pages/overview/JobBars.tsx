import { Link } from "@tanstack/react-router";
import type { JobView } from "../../api/types";
import { threeDigits } from "../../lib/format";
import { accuracyOf, bestBusbw, isBenchmark, isSimulated, JOB_STATES, jobTitle, outcome, simulatedPrefix, workTitle } from "../../lib/state";
import classes from "./JobBars.module.css";

const MIN_HEIGHT_PERCENT = 6;

/**
 * The last jobs, oldest on the left: height is the best busbw measured, against the tallest, of training the accuracy;
 * colour and glyph the state.
 */
export function JobBars({ jobs }: { jobs: readonly JobView[] }) {
  const tallest = Math.max(0, ...jobs.map((job) => measuredBusbw(job) ?? 0));
  const hasTraining = jobs.some((job) => accuracyOf(job) !== null);
  return (
    <figure className={classes.figure}>
      <ol className={classes.bars}>
        {[...jobs].reverse().map((job) => (
          <Bar key={job.id} job={job} tallest={tallest} />
        ))}
      </ol>
      <figcaption className="dim">
        Oldest to newest.{" "}
        {tallest > 0 && `Height: best bus bandwidth measured; the tallest is ${threeDigits(tallest)} GB/s. `}
        {hasTraining && "Height of training: share of held-out samples told right. "}
        {tallest === 0 && !hasTraining && "No job has measured anything yet."}
      </figcaption>
    </figure>
  );
}

/** What a simulation says has no place beside measurements. */
function measuredBusbw(job: JobView): number | null {
  return isSimulated(job) ? null : bestBusbw(job);
}

function Bar({ job, tallest }: { job: JobView; tallest: number }) {
  const best = measuredBusbw(job);
  const look = JOB_STATES[job.state];
  const share = accuracyOf(job) ?? (best !== null && tallest > 0 ? best / tallest : 0);
  const height = Math.max(MIN_HEIGHT_PERCENT, 100 * share);
  const none = isSimulated(job) ? "nothing measured" : (!isBenchmark(job) && outcome(job)) || "no result";
  const result = best === null ? none : `${threeDigits(best)} GB/s`;
  const label = `${simulatedPrefix(job)}Job ${job.id}, ${jobTitle(job)}: ${look.text}, ${workTitle(job)}, ${result}`;
  return (
    <li>
      <Link to="/jobs/$jobId" params={{ jobId: job.id }} className={classes.bar} aria-label={label} title={label}>
        <span className={classes.fill} data-tone={look.tone} style={{ height: `${height}%` }} />
        <span className={classes.glyph} data-tone={look.tone} aria-hidden="true">
          {look.glyph}
        </span>
      </Link>
    </li>
  );
}
