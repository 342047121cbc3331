import { Button, Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client";
import { jobQuery } from "../../api/queries";
import type { JobView } from "../../api/types";
import { ErrorNote } from "../../components/ErrorNote";
import { newerJob } from "../../lib/merge";
import { plural } from "../../lib/format";
import { isActive, jobTitle } from "../../lib/state";

interface Props {
  job: JobView;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks before a job is ended, and says what that means. */
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
    ? `Its ${plural(job.spec.placement.ranks, "rank")} will be ended. Rows measured so far are kept.`
    : "It has not started; it will leave the queue.";
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Cancel job ${job.id}?`} closeButtonProps={{ "aria-label": "Close" }}>
      <p style={{ marginBottom: 16 }}>
        <strong>{jobTitle(job)}</strong>: {consequence}
      </p>
      {cancel.error && <ErrorNote what="The job was not cancelled" error={cancel.error} />}
      <div style={{ display: "flex", gap: 8, justifyContent: "end", marginTop: 16 }}>
        <Button onClick={onClose}>Keep it</Button>
        <Button variant="filled" color="red" onClick={() => cancel.mutate()} aria-busy={cancel.isPending}>
          Cancel job {job.id}
        </Button>
      </div>
    </Modal>
  );
}
