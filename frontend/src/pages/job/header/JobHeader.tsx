import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { JobView } from "../../../api/types";
import { Caveats } from "../../../components/marks/Caveats";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { passesFocus } from "../../../components/hooks/keepFocus";
import { QueryError } from "../../../components/states/QueryError";
import { Reference } from "../../../components/marks/Reference";
import { useShortcut } from "../../../components/hooks/shortcuts";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import { StateBadge } from "../../../components/marks/StateBadge";
import { DEEDS } from "../../../lib/search/keys";
import { bestBusbw, isTerminal, JOB_STATES, jobTitle } from "../../../lib/state";
import { useRole } from "../../../components/hooks/useRole";
import { BaseButton } from "../../../components/controls/BaseButton";
import { CancelDialog } from "./CancelDialog";
import { GraphLinks } from "./GraphLinks";
import { JobSteps } from "./JobSteps";
import classes from "./JobHeader.module.css";
import { RingLink } from "./RingLink";
import { useHold } from "./useHold";
import { useTraces } from "../useTraces";
import { Share } from "./ShareDialog";

/** Name, id, state and actions of the job. */
export function JobHeader({ job, isSimulated }: { job: JobView; isSimulated: boolean }) {
  const { mayChange, isAdmin } = useRole();
  const [isAsking, setAsking] = useState(false);
  const ask = useCallback(() => setAsking(true), []);
  const isStopping = job.state === "stopping";
  useShortcut("cancel", mayChange && !isTerminal(job.state) && !isStopping ? ask : null);
  const hold = useHold(job);
  const traces = useTraces(job);
  return (
    <header className={classes.header}>
      <p className={classes.crumbs}>
        <Link to="/jobs">Jobs</Link>
        <span aria-hidden="true"> / </span>
        {job.id}{" "}
        <JobSteps jobId={job.id} />
      </p>
      <div className={`page-head ${classes.head}`}>
        {isSimulated && <SimulatedBadge />}
        <h1>{jobTitle(job)}</h1>
        <StateBadge look={JOB_STATES[job.state]} large />
        <Caveats job={job} />
        <div className={classes.actions}>
          <GraphLinks job={job} />
          <RingLink job={job} />
          {hold.verb && (
            <Button ref={passesFocus} onClick={hold.run} aria-busy={hold.isPending} title={DEEDS[hold.verb]}>
              {hold.verb === "hold" ? "Hold" : "Release"}
            </Button>
          )}
          {/* Only one of these two is shown at a time, left of the other buttons: nothing moves away under the pointer. */}
          {job.state === "succeeded" && bestBusbw(job) !== null && <BaseButton id={job.id} />}
          {mayChange && !isTerminal(job.state) && (
            // A disabled button would lose the focus.
            <Button ref={passesFocus} color="red" className={classes.cancel} {...(isStopping ? { "aria-disabled": true, "data-disabled": true } : { onClick: ask })}>
              Cancel
            </Button>
          )}
          {isAdmin && <Share />}
          {mayChange && (
            <Button
              renderRoot={(props) => <Link to="/jobs/new" search={{ from: String(job.id) }} {...props} />}
            >
              Run again
            </Button>
          )}
        </div>
      </div>
      <Reference id={String(job.id)} command={`ringscope why ${job.id}`} path={`/jobs/${job.id}`} />
      <QueryError what="The traces of the job could not be loaded" query={traces} />
      {hold.error && <ErrorNote what="The job was neither held nor released" error={hold.error} />}
      <CancelDialog job={job} isOpen={isAsking} onClose={() => setAsking(false)} />
    </header>
  );
}
