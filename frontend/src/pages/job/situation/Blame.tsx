import { Link } from "@tanstack/react-router";
import type { JobView } from "../../../api/types";

/** Whose doing it was that the job failed, and where more is said of it. */
export function Blame({ job }: { job: JobView }) {
  const attempt = job.attempts.at(-1);
  if (!attempt) return null;
  const { bad_rank: rank, bad_node: node } = attempt;
  return (
    <p>
      {(rank !== null || node !== null) && (
        <>
          It began with {rank !== null && <strong>rank {rank}</strong>}
          {node !== null && (
            <>
              {rank === null ? "node " : " on "}
              <Link to="/nodes/$name" params={{ name: node }}>{node}</Link>
            </>
          )}
          .{" "}
        </>
      )}
      More is in <Link to="." search={{ tab: "log" }}>the whole log</Link>.
    </p>
  );
}
