import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../../api/client";
import type { DiagnosisView, NodeView } from "../../../api/types";
import { useNodeChange } from "../../../components/hooks/useNodeChange";
import { useRole } from "../../../components/hooks/useRole";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { nodesQuery } from "../../../data/nodes";

type Blamed = DiagnosisView["blamed"][number];

const MOST_REASON = 1000;

/** For each blamed node a button that drains it with the verdict as the reason, or that it is drained already. */
export function DrainBlamed({ jobId, blamed }: { jobId: number; blamed: readonly Blamed[] }) {
  const nodes = useQuery(nodesQuery).data;
  return blamed
    .filter(({ kind }) => kind === "node")
    .map((each) => {
      const node = nodes?.find(({ name }) => name === each.names[0]);
      return node && <OfNode key={node.name} node={node} reason={`Diagnosis ${jobId}: ${each.sentence}`.slice(0, MOST_REASON)} />;
    });
}

function OfNode({ node, reason }: { node: NodeView; reason: string }) {
  const { mayChange } = useRole();
  const path = { name: node.name };
  const drain = useNodeChange(
    async (): Promise<NodeView> => unwrap(await api.POST("/api/v1/nodes/{name}/drain", { params: { path }, body: { reason } })),
    () => undefined,
  );
  const page = (
    <Link to="/nodes/$name" params={path}>
      {node.name}
    </Link>
  );
  if (node.desired === "drain") {
    return (
      <p role="status">
        {page} is drained: {node.desired_reason}
      </p>
    );
  }
  if (!mayChange) return null;
  return (
    <p>
      <Button title="It gets no new work until it is resumed; jobs that run there continue" aria-busy={drain.isPending} onClick={() => !drain.isPending && drain.mutate()}>
        Drain {node.name}
      </Button>
      {drain.error && <ErrorNote what="The node was not drained" error={drain.error} />}
    </p>
  );
}
