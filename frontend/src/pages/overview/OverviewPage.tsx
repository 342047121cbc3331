/** The cluster's health and load, and its newest results. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { activeJobsQuery, bestJobQuery, dayCountsQuery, type Ended, recentJobsQuery } from "../../data/jobs";
import { clusterQuery, nodesQuery, readingsQuery } from "../../data/nodes";
import type { JobView, NodeView } from "../../api/types";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { Caveat } from "../../components/marks/Caveat";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { Fact, factsClass } from "../../components/Fact";
import { NoNodes } from "../../components/states/NoNodes";
import { QueryError } from "../../components/states/QueryError";
import { Skeleton } from "../../components/states/Skeleton";
import { useSlots } from "../../components/hooks/useSlots";
import { useTimeWords } from "../../components/hooks/useNow";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { alertsOf, healthOf } from "./alerts";
import { numberCaveats } from "../../lib/sweep/caveats";
import { COLLECTIVES } from "../../lib/collectives";
import { threeDigits } from "../../lib/format";
import { beyondWords, gpuUse } from "../../lib/nodes";
import { formatSize } from "../../lib/size";
import { heldUp, isSimulated } from "../../lib/state";
import pageCommands from "../../lib/pageCommands.json";
import { jobsCommand } from "../../lib/search/views";
import { Alerts, ALERTS_ID } from "./Alerts";
import { bestOf } from "./bestOf";
import { BusySlots } from "./BusySlots";
import { HealthLine } from "./HealthLine";
import classes from "./Overview.module.css";
import { RecentJobs } from "./RecentJobs";
import { RunningNow } from "./RunningNow";
import { SlowerFact } from "./SlowerFact";
import { NodeStrip } from "../../components/NodeStrip";

export function OverviewPage() {
  usePageTitle("overview");
  const cluster = useQuery(clusterQuery);
  const nodes = useQuery(nodesQuery);
  const slots = useSlots();
  const jobs = useQuery(recentJobsQuery);
  const active = useQuery(activeJobsQuery);
  // A job that has run for long is not among the newest.
  const atWork = active.data ?? [];
  const known = [...atWork, ...(jobs.data ?? []).filter((job) => !atWork.some(({ id }) => id === job.id))];
  const readings = useQuery(readingsQuery);
  const ended = useQuery(dayCountsQuery);
  const alerts = alertsOf({ nodes: nodes.data ?? [], readings: readings.data, jobs: known, blamed: cluster.data?.blamed, failed: ended.data?.day.failed });
  // Shown once all its reasons are known, so that it does not change while they come; an error does not hold it back.
  const isKnown = nodes.data && jobs.data && !cluster.isPending && !active.isPending && !readings.isPending && !ended.isPending;
  return (
    <div className="page">
      <h1 className="hidden-visually">Overview</h1>
      <HealthLine health={isKnown ? healthOf(alerts, nodes.data) : null} hasAlerts={alerts.length > 0} />
      <QueryError what="The counts could not be loaded" query={cluster} />
      <QueryError what="The nodes could not be loaded" query={nodes} />
      <QueryError what="The jobs could not be loaded" query={jobs} />
      <QueryError what="The jobs that run could not be loaded" query={active} />
      {(cluster.isPending || jobs.isPending) && <Skeleton rows={2} />}
      {cluster.data && jobs.data && (
        <dl className={`card ${factsClass}`}>
          <Fact
            label="Nodes ready"
            value={cluster.data.nodes_ready}
            unit={`of ${cluster.data.nodes_total}`}
            note={cluster.data.nodes_total === 0 ? "no agent has connected yet" : null}
          />
          <Fact
            label="Slots busy"
            value={slots?.busy ?? "–"}
            unit={`of ${slots?.total ?? "–"}`}
            note={(slots && beyondWords(slots.busy, slots.total)) || (slots && `${slots.free} free; one rank takes one slot`)}
          />
          <Fact
            label="Jobs running"
            value={cluster.data.jobs_running}
            note={`${cluster.data.jobs_queued} queued, ${cluster.data.jobs_finished} finished`}
          />
          <Fact
            label="Needs attention"
            value={alerts.length}
            note={alerts.length > 0 ? <a href={`#${ALERTS_ID}`}>See what</a> : "No problem found"}
          />
          <EndedFact counts={ended.data} />
          <GpusFact nodes={nodes.data ?? []} />
          <SlowerFact />
          <BestFact recent={jobs.data} />
        </dl>
      )}
      {nodes.data && (
        <div className={classes.columns}>
          <section className="card" aria-labelledby="slots">
            <div className="card-head">
              <h2 id="slots">Slots</h2>
              <Link to="/nodes" className="spread">
                All nodes
              </Link>
            </div>
            {nodes.data.length > 0 ? <NodeStrip nodes={nodes.data} /> : <NoNodes />}
            {slots && nodes.data.length > 0 && <BusySlots total={slots.total} />}
          </section>
          <RunningNow jobs={atWork} waiting={cluster.data?.jobs_queued ?? 0} />
        </div>
      )}
      {nodes.isPending && <Skeleton rows={3} />}
      {jobs.isPending && <Skeleton rows={10} />}
      {jobs.data && <RecentJobs jobs={jobs.data} active={atWork} />}
      <Alerts alerts={alerts} />
      {jobs.data && jobs.data.length > 0 && <ServerCommand text={[pageCommands.nodes, jobsCommand({})]} />}
    </div>
  );
}

/** GPUs of reachable nodes, and how many of them have a rank; nothing if there are none. */
function GpusFact({ nodes }: { nodes: readonly NodeView[] }) {
  const { busy, total } = gpuUse(nodes);
  return total > 0 ? <Fact label="GPUs busy" value={busy} unit={`of ${total}`} note="each rank gets one while GPUs are free" /> : null;
}

/** The beginning of the day here, as the API takes it. */
function midnight(nowMs: number): string {
  return new Date(new Date(nowMs).setHours(0, 0, 0, 0)).toISOString();
}

/** The jobs that ended in the last 24 hours, against the 24 hours before. */
function EndedFact({ counts }: { counts: { day: Ended; dayBefore: Ended } | undefined }) {
  const label = "Ended in 24 hours";
  if (!counts) return <Fact label={label} value="–" note="…" />;
  const { day, dayBefore } = counts;
  return <Fact label={label} value={day.finished} note={`${day.failed} failed; the day before ${dayBefore.finished}, ${dayBefore.failed} failed`} />;
}

/** The best measurement since midnight here; without an undisturbed one, the best of the newest jobs with its caveats. */
function BestFact({ recent }: { recent: readonly JobView[] }) {
  const since = useTimeWords(midnight);
  const { data, isPending, isError } = useQuery(bestJobQuery(since));
  const best = data && heldUp(data) ? data : isPending || isError ? null : bestOf(recent, since);
  const row = best && (heldUp(best) ?? best.summary.best[0]);
  if (!best || !row) {
    const why = isPending ? "…" : isError ? "it could not be loaded" : "nothing measured yet";
    return <Fact label="Best bus bandwidth today" value="–" note={why} />;
  }
  const limit = best.summary.limit_gb_per_s;
  return (
    <Fact
      label="Best bus bandwidth today"
      value={threeDigits(row.busbw_gb_per_s)}
      unit="GB/s"
      note={
        <>
          {isSimulated(best) && <SimulatedBadge />}
          {limit && `${threeDigits((100 * row.busbw_gb_per_s) / limit)} % of its links' limit, `}
          {COLLECTIVES[best.spec.benchmark.collective].name} by {row.algorithm} at {formatSize(row.size_bytes)}
          {row.iterations !== null && !isSimulated(best) && `, n=${row.iterations}`},{" "}
          <Link to="/jobs/$jobId" params={{ jobId: best.id }}>job&nbsp;{best.id}</Link>
          {numberCaveats(best, row).map(({ word, why }) => <Caveat key={word} word={word} why={why} />)}
        </>
      }
    />
  );
}
