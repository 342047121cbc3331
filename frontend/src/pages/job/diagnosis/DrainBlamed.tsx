import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { DiagnosisView, NodeView } from "../../../api/types";
import { DrainDialog } from "../../../components/controls/DrainDialog";
import { useRole } from "../../../components/hooks/useRole";
import { nodesQuery } from "../../../data/nodes";

type Blamed = DiagnosisView["blamed"][number];

const MOST_REASON = 1000;

/** For each blamed node a button that asks to drain it with the verdict as the reason, or that it is drained already. */
export function DrainBlamed({ jobId, blamed }: { jobId: number; blamed: readonly Blamed[] }) {
  const nodes = useQuery(nodesQuery).data;
  const ofNodes = blamed.filter(({ kind }) => kind === "node");
  // Several rails of a node may be blamed.
  return [...new Map(ofNodes.map((each) => [each.names[0], each])).values()]
    .map((each) => {
      const node = nodes?.find(({ name }) => name === each.names[0]);
      return node && <OfNode key={node.name} node={node} reason={`Diagnosis ${jobId}: ${each.sentence}`.slice(0, MOST_REASON)} />;
    });
}

function OfNode({ node, reason }: { node: NodeView; reason: string }) {
  const { mayChange } = useRole();
  const [isAsking, setAsking] = useState(false);
  if (node.desired === "drain") {
    return (
      <p role="status">
        <Link to="/nodes/$name" params={{ name: node.name }}>
          {node.name}
        </Link>{" "}
        is drained: {node.desired_reason}
      </p>
    );
  }
  if (!mayChange) return null;
  return (
    <div>
      <Button onClick={() => setAsking(true)}>Drain {node.name} …</Button>
      <DrainDialog node={node} proposed={reason} isOpen={isAsking} onClose={() => setAsking(false)} />
    </div>
  );
}
