/** One traced operation of a job, step by step. The operation and the step are in the URL. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useTopic } from "../../data/live";
import { useShortcut } from "../../components/hooks/shortcuts";
import { jobQuery } from "../../data/job";
import { type TraceFilter, tracePath, traceQuery, tracesQuery } from "../../data/traces";
import type { JobView, TracedOperation } from "../../api/types";
import { QueryError } from "../../components/states/QueryError";
import { FailedJob } from "../../components/states/FailedJob";
import { PageSkeleton, Skeleton } from "../../components/states/Skeleton";
import { CopyMenu } from "../../components/controls/CopyMenu";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { isTerminal, jobTitle, jobWord } from "../../lib/state";
import { runOfTrace } from "./trace";
import { jobTraceCommand } from "./tracedJob";
import { searchOf, traceOptions, tracedSearch, type TracedSearch } from "../../lib/search/tracedSearch";
import { NoTrace } from "./NoTrace";
import classes from "./RingPage.module.css";
import { TraceChoice } from "./TraceChoice";
import { TraceView } from "./TraceView";

const route = getRouteApi("/jobs/$jobId/ring");

export function JobRingPage() {
  const { jobId } = route.useParams();
  useTopic(`job:${jobId}`);
  const job = useQuery(jobQuery(jobId));
  // A refetch that failed removes nothing that is known.
  if (job.error && !job.data) return <FailedJob jobId={jobId} error={job.error} onRetry={() => void job.refetch()} />;
  return job.data ? <JobRing key={jobId} job={job.data} /> : <PageSkeleton title={`Job ${jobId}, step by step`} />;
}

function JobRing({ job }: { job: JobView }) {
  const search = route.useSearch();
  const traces = useQuery(tracesQuery(job.id, isTerminal(job.state)));
  const options = useMemo(() => traceOptions(traces.data ?? [], search), [traces.data, search]);
  const { chosen } = options;
  const navigate = route.useNavigate();
  const openLog = useCallback(() => void navigate({ to: "/jobs/$jobId", params: { jobId: job.id }, search: { tab: "log" } }), [navigate, job.id]);
  useShortcut("log", openLog);
  return (
    <div className="page">
      <header className={classes.header}>
        <p className={classes.crumbs}>
          <Link to="/jobs">Jobs</Link>
          <span aria-hidden="true"> / </span>
          <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
            {job.id}
          </Link>
          <span aria-hidden="true"> / </span>
          ring
        </p>
        <div className="page-head">
          {chosen?.transport === "simulated" && <SimulatedBadge />}
          <h1>{jobTitle(job)}, step by step</h1>
          {chosen && <CopyMenu command={jobTraceCommand(job.id, chosen)} path={tracePath(job.id, filterOf(chosen))} />}
        </div>
      </header>
      <QueryError what="The traces of the job could not be loaded" query={traces} />
      {traces.isPending && <Waiting job={job} />}
      {traces.data && !chosen && <WithoutTrace job={job} />}
      {chosen && <Traced job={job} options={options} chosen={chosen} search={search} />}
    </div>
  );
}

function filterOf({ size_bytes, algorithm, in_place }: TracedOperation): TraceFilter {
  return { size_bytes, algorithm, in_place };
}

function Waiting({ job }: { job: JobView }) {
  usePageTitle("ring", jobWord(job));
  return <Skeleton rows={28} />;
}

function WithoutTrace({ job }: { job: JobView }) {
  usePageTitle("ring", jobWord(job));
  return <NoTrace job={job} />;
}

interface TracedProps {
  job: JobView;
  options: ReturnType<typeof traceOptions>;
  chosen: TracedOperation;
  search: TracedSearch;
}

function Traced({ job, options, chosen, search }: TracedProps) {
  const navigate = route.useNavigate();
  const filter = filterOf(chosen);
  const trace = useQuery(traceQuery(job.id, filter));
  const run = useMemo(() => trace.data && runOfTrace(trace.data), [trace.data]);
  const step = Math.min(Number(search.step ?? 0), run?.steps.length ?? 0);
  usePageTitle(run ? `step ${step} of ${run.steps.length}` : null, "ring", chosen.transport === "simulated" ? `SIMULATED job ${job.id}` : jobWord(job));
  // A page on which steps are viewed keeps its operation, even if a larger one is traced meanwhile.
  const go = (change: Partial<Record<keyof TracedSearch, string | undefined>>, replace: boolean): void =>
    void navigate({ search: (old) => tracedSearch({ ...old, ...searchOf(chosen), ...change }), replace, resetScroll: false });
  return (
    <>
      <TraceChoice options={options} chosen={chosen} onChoose={(next) => go({ ...next, step: undefined }, false)} />
      <QueryError what="The trace could not be loaded" query={trace} />
      {trace.isPending && <Skeleton rows={28} />}
      {run && trace.data && <TraceView job={job} trace={trace.data} filter={filter} run={run} step={step} search={search} onChange={(change) => go(change, true)} />}
    </>
  );
}
