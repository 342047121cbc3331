import { Link } from "@tanstack/react-router";
import type { Blame } from "../../api/types";

/** A link to the diagnosis that blames a node or one of its links, for beside the node's state; nothing if none does. */
export function Blamed({ by: blame }: { by: Blame | undefined }) {
  if (!blame) return null;
  return (
    <Link to="/jobs/$jobId" params={{ jobId: blame.job_id }} title={blame.sentence} style={{ color: "var(--warn)", whiteSpace: "nowrap" }}>
      {blame.kind === "node" ? "" : "link "}blamed by job&nbsp;{blame.job_id}
    </Link>
  );
}
