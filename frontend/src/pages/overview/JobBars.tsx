import { Link } from "@tanstack/react-router";
import type { JobView } from "../../api/types";
import { caveats } from "../../lib/caveats";
import { threeDigits } from "../../lib/format";
import { accuracyOf, bestBusbw, heldUp, isBenchmark, isSimulated, JOB_STATES, jobTitle, outcome, simulatedPrefix, workTitle } from "../../lib/state";
import classes from "./JobBars.module.css";

/** So that the least that was measured can be seen, too. */
const MIN_HEIGHT_PERCENT = 6;

/**
 * The last jobs, oldest on the left: height is the best busbw that may be held up, against the tallest, of training the
 * accuracy; colour and glyph the state. Without such a value there is no bar.
 */
export function JobBars({ jobs }: { jobs: readonly JobView[] }) {
  const tallest = Math.max(0, ...jobs.map((job) => heldUp(job)?.busbw_gb_per_s ?? 0));
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
        {tallest > 0 && `Height: best bus bandwidth of benchmarks that succeeded undisturbed; the tallest is ${threeDigits(tallest)} GB/s. `}
        {hasTraining && "Height of training: share of held-out samples told right. "}
        {tallest === 0 && !hasTraining && "No job has measured anything yet that holds up."}
      </figcaption>
    </figure>
  );
}

function Bar({ job, tallest }: { job: JobView; tallest: number }) {
  const look = JOB_STATES[job.state];
  const best = heldUp(job)?.busbw_gb_per_s;
  const share = accuracyOf(job) ?? (best !== undefined && tallest > 0 ? best / tallest : null);
  const label = [
    `${simulatedPrefix(job)}Job ${job.id}, ${jobTitle(job)}: ${look.text}, ${workTitle(job)}, ${result(job)}`,
    ...caveats(job).map(({ word, why }) => `${word}: ${why}`),
  ].join("\n");
  return (
    <li>
      <Link to="/jobs/$jobId" params={{ jobId: job.id }} className={classes.bar} aria-label={label} title={label}>
        {share === null ? <span /> : <span className={classes.fill} data-tone={look.tone} style={{ height: `${Math.max(MIN_HEIGHT_PERCENT, 100 * share)}%` }} />}
        <span className={classes.glyph} data-tone={look.tone} aria-hidden="true">
          {look.glyph}
        </span>
      </Link>
    </li>
  );
}

function result(job: JobView): string {
  if (isSimulated(job)) return "nothing measured";
  const best = bestBusbw(job);
  if (best !== null) return `${threeDigits(best)} GB/s`;
  return (!isBenchmark(job) && outcome(job)) || "no result";
}
