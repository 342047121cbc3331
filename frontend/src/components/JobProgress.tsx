import type { JobView } from "../api/types";
import { isActive } from "../lib/state";
import { ProgressBar } from "./ProgressBar";

/** The progress of a running job, as a bar with its count; nothing for any other job. */
export function JobProgress({ job }: { job: JobView }) {
  if (!isActive(job.state)) return null;
  const { done, total } = job.progress;
  return (
    <div style={{ display: "grid", gridTemplateColumns: "1fr auto", gap: 8, alignItems: "center" }}>
      <ProgressBar done={done} total={total} label={`${job.spec.benchmark ? "Rows" : "Steps"} of job ${job.id}`} />
      <span className="dim">
        {total === null ? `${done} so far` : `${done}/${total}`}
      </span>
    </div>
  );
}
