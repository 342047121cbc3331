import { Link } from "@tanstack/react-router";
import type { JobView } from "../../api/types";
import { JobProgress } from "../../components/JobProgress";
import { CaveatSign } from "../../components/marks/Caveats";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { Sparkline } from "../../components/Sparkline";
import { StateBadge } from "../../components/marks/StateBadge";
import { listCaveats } from "../../lib/sweep/caveats";
import { plural, shortList, threeDigits } from "../../lib/format";
import { beforeSteps, isBenchmark, isSimulated, JOB_STATES, jobTitle, outcome } from "../../lib/state";
import classes from "./Overview.module.css";

const MOST = 4;
const MOST_NODES = 3;

/** The jobs that have a gang now, each with its progress and what it has measured so far. */
export function RunningNow({ jobs, waiting }: { jobs: readonly JobView[]; waiting: number }) {
  const more = jobs.length - MOST;
  return (
    <section className="card" aria-labelledby="running">
      <div className="card-head">
        <h2 id="running">Running now</h2>
        {waiting > 0 && (
          <Link to="/jobs" search={{ state: "queued" }} className="spread">
            {plural(waiting, "job")} waiting
          </Link>
        )}
      </div>
      {jobs.length === 0 && <p className={`dim ${classes.nothing}`}>No job runs.</p>}
      <ul className={classes.running}>
        {jobs.slice(0, MOST).map((job) => (
          <li key={job.id}>
            <span className={classes.title}>
              <StateBadge look={JOB_STATES[job.state]} /> {isSimulated(job) && <SimulatedBadge isInRow />}{" "}
              <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
                {jobTitle(job)}
              </Link>{" "}
              <span className="dim">{where(job)}</span>
            </span>
            <JobProgress job={job} />
            <SoFar job={job} />
          </li>
        ))}
        {more > 0 && (
          <li>
            <Link to="/jobs" search={{ state: "running" }}>
              and {more} more
            </Link>
          </li>
        )}
      </ul>
    </section>
  );
}

function where(job: JobView): string {
  const nodes = job.attempts.at(-1)?.nodes ?? [];
  return `${plural(job.ranks, "rank")}${nodes.length > 0 ? ` on ${shortList(nodes, MOST_NODES)}` : ""}`;
}

/** The best bus bandwidth with its curve over sizes, or how far training has come. */
function SoFar({ job }: { job: JobView }) {
  if (!isBenchmark(job)) return <Trained job={job} />;
  const [best] = job.summary.best;
  if (!best) return <span className={`dim ${classes.soFar}`}>no row yet</span>;
  const found = listCaveats(job, best);
  return (
    <span className={classes.soFar}>
      <Sparkline sizes={job.summary.sizes} words={found.map(({ word }) => word)} />
      {found.length > 0 && <CaveatSign found={found} />}
      <span>
        {threeDigits(best.busbw_gb_per_s)} GB/s <span className="dim">by {best.algorithm}</span>
      </span>
    </span>
  );
}

function Trained({ job }: { job: JobView }) {
  const found = listCaveats(job, null);
  const reached = outcome(job);
  return (
    <span className={classes.soFar}>
      {reached && found.length > 0 && <CaveatSign found={found} />}
      {reached || <span className="dim">{job.state === "running" ? beforeSteps(job) : "no step yet"}</span>}
    </span>
  );
}
