import { Link } from "@tanstack/react-router";
import type { JobView } from "../../../api/types";
import { useTraces } from "../useTraces";

/** A link to the traced operations, if there are any. */
export function RingLink({ job }: { job: JobView }) {
  return useTraces(job).data?.length ? (
    <Link to="/jobs/$jobId/ring" params={{ jobId: job.id }} title="What its ranks did, step by step">
      Ring
    </Link>
  ) : null;
}
