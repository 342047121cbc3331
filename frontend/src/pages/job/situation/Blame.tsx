import { Link } from "@tanstack/react-router";
import type { JobView } from "../../../api/types";

/** The rank or node that failed first. The job's last lines stand below, if it printed any. */
export function Blame({ job }: { job: JobView }) {
  const { bad_rank: rank = null, bad_node: node = null } = job.attempts.at(-1) ?? {};
  if (rank === null && node === null) return null;
  return (
    <p>
      First to fail: {rank !== null && <strong>rank {rank}</strong>}
      {node !== null && (
        <>
          {rank === null ? "node " : " on "}
          <Link to="/nodes/$name" params={{ name: node }}>{node}</Link>
        </>
      )}
      .
    </p>
  );
}
