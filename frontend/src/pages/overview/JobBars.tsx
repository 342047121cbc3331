import { Link } from "@tanstack/react-router";
import type { JobView } from "../../api/types";
import { listCaveats } from "../../lib/sweep/caveats";
import { percent, threeDigits } from "../../lib/format";
import { accuracyOf, bestBusbw, heldUp, isBenchmark, isSimulated, JOB_STATES, jobTitle, outcome, simulatedPrefix, workTitle } from "../../lib/state";
import classes from "./JobBars.module.css";

/** A minimum, so that the lowest measured value is visible too. */
const MIN_HEIGHT_PERCENT = 6;

/**
 * The last jobs, oldest on the left; colour and glyph are the state. The height is the accuracy for training, and for
 * benchmarks the best valid busbw as a share of its links' limit. If the limit is not known, the bar is only an outline,
 * relative to the tallest of these; without a value there is no bar.
 */
export function JobBars({ jobs }: { jobs: readonly JobView[] }) {
  const tallest = Math.max(0, ...jobs.filter((job) => limitOf(job) === null).map((job) => heldUp(job)?.busbw_gb_per_s ?? 0));
  const hasShare = jobs.some((job) => heldUp(job) && limitOf(job) !== null);
  const hasTraining = jobs.some((job) => accuracyOf(job) !== null);
  return (
    <figure className={classes.figure}>
      <ol className={classes.bars} data-flat={tallest === 0 && !hasShare && !hasTraining ? true : undefined}>
        {[...jobs].reverse().map((job) => (
          <Bar key={job.id} job={job} tallest={tallest} />
        ))}
      </ol>
      <figcaption className="dim">
        Oldest to newest.{" "}
        {hasShare && "Height: best bus bandwidth of undisturbed, successful benchmarks, as a share of their links' limit. "}
        {tallest > 0 && `Outlined bars have no known limit; their height is relative to the tallest of them, ${threeDigits(tallest)} GB/s. `}
        {hasTraining && "Height of training: accuracy on held-out samples. "}
        {tallest === 0 && !hasShare && !hasTraining && "A job gets a bar if it succeeded in the default mode without other load; a simulated one gets none."}
      </figcaption>
    </figure>
  );
}

/** Bus bandwidth that a job's links allow, in GB/s; null: not known. */
function limitOf(job: JobView): number | null {
  return (isBenchmark(job) && job.summary.limit_gb_per_s) || null;
}

function Bar({ job, tallest }: { job: JobView; tallest: number }) {
  const look = JOB_STATES[job.state];
  const [held, limit] = [heldUp(job), limitOf(job)];
  const best = held?.busbw_gb_per_s;
  const full = limit ?? tallest;
  const share = accuracyOf(job) ?? (best !== undefined && full > 0 ? Math.min(1, best / full) : null);
  const label = [
    `${simulatedPrefix(job)}Job ${job.id}, ${jobTitle(job)}: ${look.text}, ${workTitle(job)}, ${result(job)}`,
    ...(best === undefined ? [] : [limit === null ? "the rate of its links is not known" : `${percent(best / limit)} of its links' limit`]),
    ...listCaveats(job, isBenchmark(job) ? job.summary.best[0] : null).map(({ word, why }) => `${word}: ${why}`),
  ].join("\n");
  const isOutline = best !== undefined && limit === null;
  const height = `${Math.max(MIN_HEIGHT_PERCENT, 100 * (share ?? 0))}%`;
  return (
    <li>
      <Link to="/jobs/$jobId" params={{ jobId: job.id }} className={classes.bar} aria-label={label} data-reason>
        {share === null ? <span /> : <span className={classes.fill} data-tone={isOutline ? undefined : look.tone} style={{ height }} />}
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
