import { Link } from "@tanstack/react-router";
import type { NodeView } from "../../api/types";
import { jobsOn } from "../../lib/nodes";

/** Links to the jobs whose ranks are on the node now. */
export function NodeJobs({ node }: { node: NodeView }) {
  const ids = jobsOn(node);
  if (ids.length === 0) return <span className="dim">nothing</span>;
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 && ", "}
      <Link to="/jobs/$jobId" params={{ jobId: id }}>
        job {id}
      </Link>
    </span>
  ));
}
