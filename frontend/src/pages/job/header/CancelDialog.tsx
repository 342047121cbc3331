import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client";
import { jobQuery } from "../../../data/job";
import type { JobView } from "../../../api/types";
import { buttonsClass, DANGER, Dialog } from "../../../components/controls/Dialog";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { plural } from "../../../lib/format";
import { newerJob } from "../../../data/merge";
import { isActive, jobName } from "../../../lib/state";

interface Props {
  job: JobView;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks for confirmation before a job is ended, and states the consequences. */
export function CancelDialog({ job, isOpen, onClose }: Props) {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: async () =>
      unwrap(await api.POST("/api/v1/jobs/{job_id}/cancel", { params: { path: { job_id: job.id } } })),
    onSuccess: (after: JobView) => {
      client.setQueryData<JobView>(jobQuery(job.id).queryKey, (before) => newerJob(before, after));
      onClose();
    },
  });
  const consequence = isActive(job.state)
    ? `its ${plural(job.spec.placement.ranks, "rank")} will be ended. Rows measured so far are kept.`
    : "it has not started and will leave the queue.";
  return (
    <Dialog title={`Cancel job ${job.id}?`} isOpen={isOpen} onClose={onClose}>
      <p>
        <strong>{jobName(job)}</strong>: {consequence}
      </p>
      {cancel.error && <ErrorNote what="The job was not cancelled" error={cancel.error} />}
      <div className={buttonsClass}>
        <Button onClick={onClose}>Keep job</Button>
        <Button variant="filled" style={DANGER} onClick={() => cancel.mutate()} aria-busy={cancel.isPending}>
          Cancel job {job.id}
        </Button>
      </div>
    </Dialog>
  );
}
