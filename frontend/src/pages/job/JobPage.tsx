/** One job: where it stands, what it measured, what it said. Fills in live. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTopic } from "../../app/live";
import { ApiError } from "../../api/client";
import { eventsQuery, jobQuery, measurementsQuery } from "../../api/queries";
import type { JobView } from "../../api/types";
import { ErrorNote } from "../../components/ErrorNote";
import { usePageTitle } from "../../components/usePageTitle";
import { threeDigits } from "../../lib/format";
import { bestBusbw, isSimulated, isTerminal, JOB_STATES } from "../../lib/state";
import { Configuration } from "./Configuration";
import { Environment } from "./Environment";
import { JobHeader } from "./JobHeader";
import classes from "./JobPage.module.css";
import { Log } from "./Log";
import { Results } from "./Results";
import { Situation } from "./Situation";
import { Timeline } from "./Timeline";

const route = getRouteApi("/jobs/$jobId");

export function JobPage() {
  const { jobId } = route.useParams();
  useTopic(`job:${jobId}`);
  const job = useQuery(jobQuery(jobId));
  usePageTitle(job.data ? statusTitle(job.data) : null, `job ${jobId}`);
  if (job.error instanceof ApiError && job.error.status === 404) {
    return (
      <section className="page">
        <h1>There is no job {jobId}</h1>
        <p>
          See <Link to="/jobs">all jobs</Link>.
        </p>
      </section>
    );
  }
  if (job.error) {
    return <ErrorNote what="The job could not be loaded" error={job.error} onRetry={() => void job.refetch()} />;
  }
  return job.data ? <Job key={jobId} job={job.data} /> : null;
}

/** "✓ 10.4 GB/s" for the tab. */
function statusTitle(job: JobView): string {
  const look = JOB_STATES[job.state];
  const best = bestBusbw(job);
  return `${look.glyph} ${best !== null && job.state !== "failed" ? `${threeDigits(best)} GB/s` : look.text}`;
}

function Job({ job }: { job: JobView }) {
  const measurements = useQuery(measurementsQuery(job.id));
  const events = useQuery(eventsQuery(job.id));
  const rows = measurements.data ?? [];
  const hasResults = rows.length > 0 || job.state === "running";
  return (
    <div className="page">
      <p className="hidden-visually" role="status">
        Job {job.id} is {JOB_STATES[job.state].text}
      </p>
      <JobHeader job={job} isSimulated={isSimulated(job, rows)} />
      <Situation job={job} rows={rows} />
      <Timeline job={job} events={events.data ?? []} />
      {measurements.error && (
        <ErrorNote
          what="The measurements could not be loaded"
          error={measurements.error}
          onRetry={() => void measurements.refetch()}
        />
      )}
      {measurements.data && hasResults && <Results job={job} rows={rows} />}
      <div className={classes.columns}>
        <Log jobId={job.id} isOver={isTerminal(job.state)} />
        <div className={classes.aside}>
          <Configuration job={job} />
          <Environment jobId={job.id} />
        </div>
      </div>
    </div>
  );
}
