/** A button that submits a diagnosis of the nodes of a job whose bandwidth is low, and opens its page. */
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { api, randomKey, unwrap } from "../api/client";
import type { JobSpec, JobView } from "../api/types";
import { jobQuery } from "../data/job";
import { useRole } from "./hooks/useRole";
import { ErrorNote } from "./states/ErrorNote";

/** What a diagnosis can send, in bytes. */
const [LEAST, MOST] = [2 ** 10, 2 ** 30];

/** Nothing for viewers, and for a job on fewer than two nodes. */
export default function DiagnoseJob({ jobId }: { jobId: number }) {
  const { mayChange } = useRole();
  const job = useQuery(jobQuery(jobId)).data;
  const navigate = useNavigate();
  // A press after an error that hid the server's answer makes no second job.
  const key = useRef(randomKey());
  const diagnose = useMutation({
    mutationFn: async (body: JobSpec) => unwrap(await api.POST("/api/v1/jobs", { params: { header: { "idempotency-key": key.current } }, body })).id,
    onSuccess: (id) => navigate({ to: "/jobs/$jobId", params: { jobId: id } }),
  });
  const spec = job && diagnosisOf(job);
  if (!mayChange || !spec) return null;
  return (
    <>
      <Button
        size="compact-sm"
        style={{ justifySelf: "start" }}
        title={`Measures the links between the nodes of job ${jobId} until it can name what slows them; it waits until nothing else runs there`}
        aria-busy={diagnose.isPending}
        onClick={() => !diagnose.isPending && diagnose.mutate(spec)}
      >
        Diagnose
      </Button>
      {diagnose.error && <ErrorNote what="The diagnosis was not submitted" error={diagnose.error} />}
    </>
  );
}

/** A diagnosis of the nodes of the job's last attempt, with messages of its largest size; null if they are fewer than two. */
export function diagnosisOf({ attempts, spec }: Pick<JobView, "attempts" | "spec">): JobSpec | null {
  const names = [...new Set(attempts.at(-1)?.nodes)];
  if (names.length < 2) return null;
  const size = spec.benchmark?.max_bytes;
  const diagnosis = size == null ? {} : { size_bytes: Math.min(MOST, Math.max(LEAST, size)) };
  // The server completes what is left out.
  return { kind: "diagnosis", diagnosis, placement: { node_names: names } } as unknown as JobSpec;
}
