import { Link } from "@tanstack/react-router";
import type { JobView } from "../../../api/types";
import { useTraces } from "../useTraces";

/** To what the job's ranks did step by step, once they have told it. */
export function RingLink({ job }: { job: JobView }) {
  return useTraces(job).data?.length ? (
    <Link to="/jobs/$jobId/ring" params={{ jobId: job.id }} title="What its ranks did, step by step">
      Ring
    </Link>
  ) : null;
}
