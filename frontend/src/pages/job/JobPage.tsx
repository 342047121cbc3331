/** One job: its state, its measurements, its output. Updates live. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { lazyPart } from "../../components/lazyPart";
import { useAnnouncement } from "../../components/hooks/announcements";
import { useTopic } from "../../data/live";
import { jobQuery } from "../../data/job";
import { MAX_ITEMS } from "../../data/lists";
import { measurementsQuery } from "../../data/results";
import type { JobView } from "../../api/types";
import { ROOT } from "../../api/site";
import { FailedJob } from "../../components/states/FailedJob";
import { QueryError } from "../../components/states/QueryError";
import { PageSkeleton } from "../../components/states/Skeleton";
import { useFavicon } from "../../components/hooks/useFavicon";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { formatCount, percent, threeDigits } from "../../lib/format";
import { accuracyOf, bestBusbw, isBenchmark, isImported, isSimulated, JOB_STATES, simulatedPrefix, stateSentence } from "../../lib/state";
import { JobHeader } from "./header/JobHeader";
import { JobTab, tabsOf } from "./JobTab";
import { Situation } from "./situation/Situation";
import { Tabs } from "./Tabs";
import { useJobKeys } from "./useJobKeys";

// It is below everything else.
const History = lazyPart(async () => (await import("./now/History")).History);

const route = getRouteApi("/jobs/$jobId");

export function JobPage() {
  const { jobId } = route.useParams();
  useTopic(`job:${jobId}`);
  const job = useQuery(jobQuery(jobId));
  useFavicon(job.data ? JOB_STATES[job.data.state].tone : null);
  usePageTitle(job.data ? statusTitle(job.data) : null, `job ${jobId}`);
  // A refetch that failed removes nothing that is known.
  if (job.error && !job.data) return <FailedJob jobId={jobId} error={job.error} onRetry={() => void job.refetch()} />;
  return job.data ? <Job key={jobId} job={job.data} /> : <PageSkeleton title={`Job ${jobId}`} />;
}

/** "✓ 10.4 GB/s" for the tab, for training "✓ 97.5 %". */
function statusTitle(job: JobView): string {
  const look = JOB_STATES[job.state];
  const [best, accuracy] = [bestBusbw(job), accuracyOf(job)];
  const result = best !== null ? `${threeDigits(best)} GB/s` : accuracy !== null ? percent(accuracy) : look.text;
  return `${look.glyph} ${simulatedPrefix(job)}${job.state === "failed" ? look.text : result}`;
}

function Job({ job }: { job: JobView }) {
  useAnnouncement(stateSentence(job.id, job.state));
  const measurements = useQuery({ ...measurementsQuery(job.id, job.attempts.length), enabled: isBenchmark(job) });
  const rows = measurements.data ?? [];
  const search = route.useSearch();
  const tabs = tabsOf(job);
  const tab = tabs.find((known) => known === search.tab) ?? "results";
  useJobKeys(job, tab);
  return (
    <div className="page">
      <JobHeader job={job} rows={rows} isSimulated={isSimulated(job, rows)} />
      <Situation job={job} rows={measurements.data} />
      <QueryError what="The measurements could not be loaded" query={measurements} />
      {rows.length >= MAX_ITEMS && <TooManyRows jobId={job.id} />}
      <Tabs jobId={job.id} tabs={tabs} current={tab} />
      <JobTab job={job} tab={tab} rows={measurements.data} isFailed={measurements.isError} />
      {!isImported(job) && (
        <Suspense>
          <History job={job} />
        </Suspense>
      )}
    </div>
  );
}

/** Says that charts, tables and the CSV are incomplete. */
function TooManyRows({ jobId }: { jobId: number }) {
  return (
    <p role="note">
      This page loads {formatCount(MAX_ITEMS)} rows at most: charts, tables and CSV lack those that come after. The{" "}
      <a href={`${ROOT}/api/v1/jobs/${jobId}/measurements`}>API</a> has every one, page by page.
    </p>
  );
}
