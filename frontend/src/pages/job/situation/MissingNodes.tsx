/** The nodes that a job lacks: lost ones, for which its ranks wait, and drained ones, which may keep it in the queue. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { nodesQuery, type SeenNode } from "../../../data/nodes";
import type { JobView } from "../../../api/types";
import { ResumeDialog } from "../../../components/controls/ResumeDialog";
import { HeartbeatAge } from "../../../components/HeartbeatAge";
import { useRole } from "../../../components/hooks/useRole";
import { drainedFor, drainWords } from "./drained";
import classes from "./Situation.module.css";

const HEARTBEAT_MS = 5000;

export function MissingNodes({ job }: { job: JobView }) {
  const nodes = useQuery({ ...nodesQuery, refetchInterval: HEARTBEAT_MS }).data ?? [];
  const names = job.attempts.at(-1)?.nodes ?? [];
  const lost = job.state === "queued" ? [] : nodes.filter((node) => node.observed === "lost" && names.includes(node.name));
  const drained = drainedFor(job, nodes);
  return (
    <>
      {lost.length > 0 && (
        <ul className={classes.lost} aria-label="Lost nodes">
          {lost.map((node) => (
            <li key={node.name}>
              <span aria-hidden="true">⚠ </span>
              Node <NodeLink node={node} /> is lost: it was last heard of <HeartbeatAge node={node} />.
            </li>
          ))}
        </ul>
      )}
      {drained.length > 0 && (
        <ul className={classes.drained} aria-label="Drained nodes">
          {drained.map((node) => (
            <Drained key={node.name} node={node} />
          ))}
        </ul>
      )}
    </>
  );
}

function Drained({ node }: { node: SeenNode }) {
  const { mayChange } = useRole();
  const [isAsking, setAsking] = useState(false);
  return (
    <li>
      <span>
        Node <NodeLink node={node} /> {drainWords(node)}
      </span>{" "}
      {mayChange && <Button onClick={() => setAsking(true)}>Resume …</Button>}
      <ResumeDialog node={node} isOpen={isAsking} onClose={() => setAsking(false)} />
    </li>
  );
}

function NodeLink({ node }: { node: SeenNode }) {
  return <Link to="/nodes/$name" params={{ name: node.name }}>{node.name}</Link>;
}
