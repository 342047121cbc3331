/** Is the cluster healthy and busy, and what came out lately? */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clusterQuery, nodesQuery, recentJobsQuery } from "../../api/queries";
import type { JobView } from "../../api/types";
import { ErrorNote } from "../../components/ErrorNote";
import { Fact, factsClass } from "../../components/Fact";
import { NoJobs } from "../../components/NoJobs";
import { NoNodes } from "../../components/NoNodes";
import { usePageTitle } from "../../components/usePageTitle";
import { COLLECTIVES } from "../../lib/collectives";
import { plural, threeDigits } from "../../lib/format";
import { bestBusbw, isSimulated } from "../../lib/state";
import { JobsTable } from "../jobs/JobsTable";
import { JobBars } from "./JobBars";
import { NodeStrip } from "./NodeStrip";

const LATEST = 8;

export function OverviewPage() {
  usePageTitle("overview");
  const cluster = useQuery(clusterQuery);
  const nodes = useQuery(nodesQuery);
  const jobs = useQuery(recentJobsQuery);
  const failed = [cluster, nodes, jobs].find((query) => query.error);
  return (
    <div className="page">
      <h1 className="hidden-visually">Overview</h1>
      {failed?.error && (
        <ErrorNote
          what="The overview could not be loaded"
          error={failed.error}
          onRetry={() => [cluster, nodes, jobs].forEach((query) => void query.refetch())}
        />
      )}
      {cluster.data && jobs.data && (
        <dl className={`card ${factsClass}`}>
          <Fact
            label="Nodes ready"
            value={cluster.data.nodes_ready}
            unit={`of ${cluster.data.nodes_total}`}
            note={cluster.data.nodes_total === 0 ? "no agent has called yet" : null}
          />
          <Fact
            label="Slots busy"
            value={cluster.data.slots_busy}
            unit={`of ${cluster.data.slots_total}`}
            note="one rank takes one slot"
          />
          <Fact
            label="Jobs running"
            value={cluster.data.jobs_running}
            note={`${cluster.data.jobs_queued} queued, ${cluster.data.jobs_finished} finished`}
          />
          <BestFact jobs={jobs.data} />
        </dl>
      )}
      {nodes.data && (
        <section className="card" aria-labelledby="slots">
          <div className="card-head">
            <h2 id="slots">Slots</h2>
            <Link to="/nodes" className="spread">
              All nodes
            </Link>
          </div>
          {nodes.data.length > 0 ? <NodeStrip nodes={nodes.data} /> : <NoNodes />}
        </section>
      )}
      {jobs.data && <RecentJobs jobs={jobs.data} />}
    </div>
  );
}

function BestFact({ jobs }: { jobs: readonly JobView[] }) {
  const best = jobs.filter((job) => !isSimulated(job)).reduce<JobView | null>(
    (top, job) => ((bestBusbw(job) ?? 0) > ((top && bestBusbw(top)) ?? 0) ? job : top),
    null,
  );
  const row = best?.summary.best[0];
  if (!best || !row) return <Fact label="Best bus bandwidth" value="–" note="no measurement yet" />;
  return (
    <Fact
      label={`Best bus bandwidth, last ${plural(jobs.length, "job")}`}
      value={threeDigits(row.busbw_gb_per_s)}
      unit="GB/s"
      note={
        <>
          {COLLECTIVES[best.spec.benchmark.collective].name} by {row.algorithm},{" "}
          <Link to="/jobs/$jobId" params={{ jobId: best.id }}>job {best.id}</Link>
        </>
      }
    />
  );
}

function RecentJobs({ jobs }: { jobs: readonly JobView[] }) {
  return (
    <section className="card" aria-labelledby="recent">
      <div className="card-head">
        <h2 id="recent">{jobs.length > 1 ? `Last ${plural(jobs.length, "job")}` : "Jobs"}</h2>
        <Link to="/jobs" className="spread">
          All jobs
        </Link>
      </div>
      {jobs.length > 0 ? (
        <>
          <JobBars jobs={jobs} />
          <JobsTable jobs={jobs.slice(0, LATEST)} />
        </>
      ) : (
        <NoJobs />
      )}
    </section>
  );
}
