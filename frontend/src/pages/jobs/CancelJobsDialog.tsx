import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { cancelJobs } from "../../data/cancel";
import type { JobView } from "../../api/types";
import { buttonsClass, DANGER, Dialog } from "../../components/controls/Dialog";
import { ErrorNote } from "../../components/states/ErrorNote";
import { plural } from "../../lib/format";
import { isActive, jobName } from "../../lib/state";

interface Props {
  jobs: readonly JobView[];
  isOpen: boolean;
  onClose: () => void;
}

const MOST_NAMED = 12;

/** Asks for confirmation before several jobs are ended, names them, and states the consequences. */
export function CancelJobsDialog({ jobs, isOpen, onClose }: Props) {
  const cancel = useMutation({
    mutationFn: () => cancelJobs(jobs.map(({ id }) => id)),
    onSuccess: onClose,
  });
  const running = jobs.filter((job) => isActive(job.state));
  const ranks = running.reduce((sum, job) => sum + job.ranks, 0);
  return (
    <Dialog title={`Cancel ${plural(jobs.length, "job")}?`} isOpen={isOpen} onClose={onClose}>
      <ul>
        {jobs.slice(0, MOST_NAMED).map((job) => (
          <li key={job.id}>
            job {job.id} <strong>{jobName(job)}</strong>
          </li>
        ))}
        {jobs.length > MOST_NAMED && <li>and {jobs.length - MOST_NAMED} more</li>}
      </ul>
      <p>
        {running.length > 0 && `${plural(ranks, "rank")} of ${plural(running.length, "job")} will be ended; rows measured so far are kept. `}
        {jobs.length > running.length && `${plural(jobs.length - running.length, "job")} will leave the queue.`}
      </p>
      {cancel.error && <ErrorNote what="Not every job was cancelled" error={cancel.error} />}
      <div className={buttonsClass}>
        <Button onClick={onClose}>Keep jobs</Button>
        <Button variant="filled" style={DANGER} onClick={() => cancel.mutate()} aria-busy={cancel.isPending}>
          Cancel {plural(jobs.length, "job")}
        </Button>
      </div>
    </Dialog>
  );
}
