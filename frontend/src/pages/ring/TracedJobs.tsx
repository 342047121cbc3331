import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { recentJobsQuery } from "../../data/jobs";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { useSlots } from "../../components/hooks/useSlots";
import { fittedTo } from "../../lib/command";
import pageCommands from "../../lib/pageCommands.json";
import { jobName } from "../../lib/state";
import classes from "./RingPage.module.css";

const MOST = 5;

/** The newest jobs with traced operations; how to get one if there are none. */
export function TracedJobs() {
  const jobs = useQuery(recentJobsQuery).data;
  const slots = useSlots()?.total ?? 0;
  // Its line is reserved, so that nothing moves once they are known.
  if (!jobs) return <p className={classes.traced} />;
  const traced = jobs.filter((job) => job.spec.benchmark?.trace && job.state === "succeeded").slice(0, MOST);
  if (traced.length === 0) {
    return (
      <>
        <p className="dim">A job with a trace is shown in the same way:</p>
        <ServerCommand text={fittedTo(slots, pageCommands.traced)} />
      </>
    );
  }
  return (
    <p className={classes.traced}>
      <span className="dim">From a job&rsquo;s real trace:</span>
      {traced.map((job) => (
        <Link key={job.id} to="/jobs/$jobId/ring" params={{ jobId: job.id }}>
          {jobName(job)} ({job.id})
        </Link>
      ))}
    </p>
  );
}
