import { Link } from "@tanstack/react-router";
import type { JobView } from "../../../api/types";

/** Which node or rank made the job fail, with links to more about it. */
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
