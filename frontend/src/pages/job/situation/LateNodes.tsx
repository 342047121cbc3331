import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { nodesQuery } from "../../../data/nodes";
import type { JobView } from "../../../api/types";
import { HeartbeatAge } from "../../../components/HeartbeatAge";
import classes from "./Situation.module.css";

const HEARTBEAT_MS = 5000;

/** Nodes of the job whose heartbeats stopped, and since when: all ranks wait for them. */
export function LateNodes({ job }: { job: JobView }) {
  const nodes = useQuery({ ...nodesQuery, refetchInterval: HEARTBEAT_MS }).data ?? [];
  const names = job.attempts.at(-1)?.nodes ?? [];
  const lost = nodes.filter((node) => node.observed === "lost" && names.includes(node.name));
  if (lost.length === 0) return null;
  return (
    <ul className={classes.lost} aria-label="Lost nodes">
      {lost.map((node) => (
        <li key={node.name}>
          <span aria-hidden="true">⚠ </span>
          Node <Link to="/nodes/$name" params={{ name: node.name }}>{node.name}</Link> is lost: it was last heard of <HeartbeatAge node={node} />.
        </li>
      ))}
    </ul>
  );
}
