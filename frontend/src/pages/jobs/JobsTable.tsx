import { Link } from "@tanstack/react-router";
import type { JobView } from "../../api/types";
import { Age } from "../../components/Age";
import { JobProgress } from "../../components/JobProgress";
import { ScrollX } from "../../components/ScrollX";
import { SimulatedBadge } from "../../components/SimulatedBadge";
import { StateBadge } from "../../components/StateBadge";
import { rankCount } from "../../lib/caption";
import { COLLECTIVES } from "../../lib/collectives";
import { formatDuration, secondsBetween, shortList, threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";
import { isSimulated, JOB_STATES, jobTitle } from "../../lib/state";
import classes from "./JobsTable.module.css";

const MOST_ALGORITHMS = 3;

/** One row per job: what it is, where it stands, what came out. */
export function JobsTable({ jobs }: { jobs: readonly JobView[] }) {
  return (
    <ScrollX label="Jobs, one row each">
      <table className={classes.jobs}>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col" className="number">Id</th>
            <th scope="col">Name</th>
            <th scope="col">Collective</th>
            <th scope="col">Algorithms</th>
            <th scope="col" className="number">Ranks</th>
            <th scope="col">Sizes</th>
            <th scope="col" className={classes.outcome}>Result</th>
            <th scope="col" className="number">Best busbw (GB/s)</th>
            <th scope="col" className="number">Took</th>
            <th scope="col" className="number">Age</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <Row key={job.id} job={job} />
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function Row({ job }: { job: JobView }) {
  const { benchmark } = job.spec;
  const best = job.summary.best[0];
  return (
    <tr>
      <td>
        <StateBadge look={JOB_STATES[job.state]} />
      </td>
      <td className="number dim">{job.id}</td>
      <th scope="row" className={classes.name}>
        <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
          {jobTitle(job)}
        </Link>
        {isSimulated(job) && (
          <>
            {" "}
            <SimulatedBadge />
          </>
        )}
      </th>
      <td className={classes.nowrap}>{COLLECTIVES[benchmark.collective].name}</td>
      <td className={classes.nowrap} title={benchmark.algorithms.join(", ")}>
        {shortList(benchmark.algorithms, MOST_ALGORITHMS)}
      </td>
      <td className="number">{rankCount(job.spec)}</td>
      <td className={classes.nowrap}>
        {formatSize(benchmark.min_bytes)} – {formatSize(benchmark.max_bytes)}
      </td>
      <td className={classes.outcome}>
        <Outcome job={job} />
      </td>
      <td className="number">
        {best ? (
          <>
            {threeDigits(best.busbw_gb_per_s)} <span className="dim">{best.algorithm}</span>
          </>
        ) : (
          <span className="dim">–</span>
        )}
      </td>
      <td className="number">
        {job.started_at && job.finished_at ? formatDuration(secondsBetween(job.started_at, job.finished_at)) : ""}
      </td>
      <td className="number">
        <Age iso={job.created_at} />
      </td>
    </tr>
  );
}

function Outcome({ job }: { job: JobView }) {
  if (job.state === "failed") return <span className={classes.failed}>{job.reason}</span>;
  if (job.pending) return <span title={job.pending.sentence}>{job.pending.sentence}</span>;
  if (job.state === "succeeded") return <span title={job.summary.verdict}>{job.summary.verdict}</span>;
  return <JobProgress job={job} />;
}
