import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { meQuery } from "../../data/queries";
import type { JobView } from "../../api/types";
import { Caveats } from "../../components/Caveats";
import { Reference } from "../../components/Reference";
import { SimulatedBadge } from "../../components/SimulatedBadge";
import { StateBadge } from "../../components/StateBadge";
import { bestBusbw, isTerminal, JOB_STATES, jobTitle } from "../../lib/state";
import { BaselineButton } from "../../components/BaselineButton";
import { CancelDialog } from "./CancelDialog";
import { GraphLinks } from "./GraphLinks";
import { JobSteps } from "./JobSteps";
import classes from "./JobHeader.module.css";
import { RingLink } from "./RingLink";

/** Name, id, state, and what can be done with the job. */
export function JobHeader({ job, isSimulated }: { job: JobView; isSimulated: boolean }) {
  const me = useQuery(meQuery);
  const mayChange = me.data !== undefined && me.data.role !== "viewer";
  const [isAsking, setAsking] = useState(false);
  return (
    <header className={classes.header}>
      <p className={classes.crumbs}>
        <Link to="/jobs">Jobs</Link>
        <span aria-hidden="true"> / </span>
        {job.id}{" "}
        <JobSteps jobId={job.id} />
      </p>
      <div className="page-head">
        <h1>{jobTitle(job)}</h1>
        <StateBadge look={JOB_STATES[job.state]} large />
        {isSimulated && <SimulatedBadge />}
        <Caveats job={job} />
        <div className={classes.actions}>
          <GraphLinks job={job} />
          <RingLink job={job} />
          {bestBusbw(job) !== null && <BaselineButton id={job.id} />}
          {mayChange && (
            <Button
              renderRoot={(props) => <Link to="/jobs/new" search={{ from: String(job.id) }} {...props} />}
            >
              Run again
            </Button>
          )}
          {mayChange && !isTerminal(job.state) && job.state !== "stopping" && (
            <Button color="red" onClick={() => setAsking(true)} className={classes.cancel}>
              Cancel
            </Button>
          )}
        </div>
      </div>
      <Reference id={String(job.id)} command={`ringscope why ${job.id}`} path={`/jobs/${job.id}`} />
      <CancelDialog job={job} isOpen={isAsking} onClose={() => setAsking(false)} />
    </header>
  );
}
