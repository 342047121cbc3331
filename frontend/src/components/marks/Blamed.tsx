import { Link } from "@tanstack/react-router";
import type { Blame } from "../../api/types";

/** That a diagnosis blames a node or a link of it, beside the node's state; nothing if none does. */
export function Blamed({ by: blame }: { by: Blame | undefined }) {
  if (!blame) return null;
  return (
    <Link to="/jobs/$jobId" params={{ jobId: blame.job_id }} title={blame.sentence} style={{ color: "var(--warn)", whiteSpace: "nowrap" }}>
      {blame.kind === "node" ? "" : "link "}blamed by job&nbsp;{blame.job_id}
    </Link>
  );
}
