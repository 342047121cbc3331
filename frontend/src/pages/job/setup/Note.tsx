import { Button, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../../api/client";
import type { JobView } from "../../../api/types";
import { FormFoot } from "../../../components/controls/FormFoot";
import { useRole } from "../../../components/hooks/useRole";
import { jobQuery } from "../../../data/job";
import classes from "./Note.module.css";

function focused(element: HTMLTextAreaElement | null): void {
  element?.focus();
}

const MOST_CHARACTERS = 2000;

/** What people wrote about the job, and a way to change it; nothing for a viewer if there is no note. */
export function Note({ job }: { job: JobView }) {
  const { mayChange } = useRole();
  const [draft, setDraft] = useState<string | null>(null);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: async (note: string) =>
      unwrap(await api.PATCH("/api/v1/jobs/{job_id}", { params: { path: { job_id: job.id } }, body: { note } as never })),
    onSuccess: (changed) => {
      client.setQueryData(jobQuery(job.id).queryKey, changed);
      setDraft(null);
    },
  });
  if (!mayChange) return job.note ? <p className={classes.note}>{job.note}</p> : null;
  if (draft === null) {
    return (
      <div className={classes.form}>
        {job.note && <p className={classes.note}>{job.note}</p>}
        <Button style={{ justifySelf: "start" }} onClick={() => setDraft(job.note)}>
          {job.note ? "Change note" : "Add note"}
        </Button>
      </div>
    );
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate(draft);
      }}
    >
      <Textarea
        label="Note"
        description="Everybody who sees the job sees it, and the search of the list finds it."
        ref={focused}
        rows={3}
        maxLength={MOST_CHARACTERS}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      <FormFoot submit="Save note" isSending={save.isPending} failed="The note was not saved" error={save.error} onCancel={() => setDraft(null)} />
    </form>
  );
}
