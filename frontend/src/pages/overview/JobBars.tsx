import { Link } from "@tanstack/react-router";
import type { JobView } from "../../api/types";
import { COLLECTIVES } from "../../lib/collectives";
import { threeDigits } from "../../lib/format";
import { bestBusbw, isSimulated, JOB_STATES, jobTitle } from "../../lib/state";
import classes from "./JobBars.module.css";

const MIN_HEIGHT_PERCENT = 6;

/** The last jobs, oldest on the left: height is the best busbw measured, against the tallest; colour and glyph the state. */
export function JobBars({ jobs }: { jobs: readonly JobView[] }) {
  const tallest = Math.max(0, ...jobs.map((job) => measuredBusbw(job) ?? 0));
  return (
    <figure className={classes.figure}>
      <ol className={classes.bars}>
        {[...jobs].reverse().map((job) => (
          <Bar key={job.id} job={job} tallest={tallest} />
        ))}
      </ol>
      <figcaption className="dim">
        {tallest > 0
          ? `Oldest to newest. Height: best bus bandwidth measured; the tallest is ${threeDigits(tallest)} GB/s.`
          : "Oldest to newest. No job has measured anything yet."}
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
  const height = best !== null && tallest > 0 ? Math.max(MIN_HEIGHT_PERCENT, (100 * best) / tallest) : MIN_HEIGHT_PERCENT;
  const result = best === null ? (isSimulated(job) ? "nothing measured" : "no result") : `${threeDigits(best)} GB/s`;
  const what = `${isSimulated(job) ? "simulated " : ""}${COLLECTIVES[job.spec.benchmark.collective].name}`;
  const label = `Job ${job.id}, ${jobTitle(job)}: ${look.text}, ${what}, ${result}`;
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
