/** One machine in full. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { nodesQuery, type SeenNode } from "../../api/queries";
import { ErrorNote } from "../../components/ErrorNote";
import { StateBadge } from "../../components/StateBadge";
import { usePageTitle } from "../../components/usePageTitle";
import { formatDateTime } from "../../lib/format";
import { formatSize } from "../../lib/size";
import { nodeLook } from "../../lib/state";
import { NodeStrip } from "../overview/NodeStrip";
import { HeartbeatAge } from "./HeartbeatAge";
import { NodeJobs } from "./NodeJobs";
import { Properties } from "../../components/Properties";

const route = getRouteApi("/nodes/$name");
const HEARTBEAT_MS = 5000;

export function NodePage() {
  const { name } = route.useParams();
  usePageTitle(name, "nodes");
  const nodes = useQuery({ ...nodesQuery, refetchInterval: HEARTBEAT_MS });
  const node = nodes.data?.find((item) => item.name === name);
  if (nodes.error) {
    return <ErrorNote what="The node could not be loaded" error={nodes.error} onRetry={() => void nodes.refetch()} />;
  }
  if (!nodes.data) return null;
  if (!node) {
    return (
      <section className="page">
        <h1>No node is named {name}</h1>
        <p>
          See <Link to="/nodes">all nodes</Link>.
        </p>
      </section>
    );
  }
  return <Node node={node} />;
}

function Node({ node }: { node: SeenNode }) {
  const look = nodeLook(node);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{node.name}</h1>
        <StateBadge look={look} large />
        <a className="spread" href={`/api/v1/nodes/${encodeURIComponent(node.name)}`}>
          JSON
        </a>
      </div>
      <section className="card" aria-label="Slots">
        <NodeStrip nodes={[node]} />
      </section>
      <section className="card">
        <div className="card-head">
          <h2>Inventory</h2>
        </div>
        <div className="card-body">
          <Properties
            items={[
              ["Runs", <NodeJobs key="jobs" node={node} />],
              ["Last heartbeat", <HeartbeatAge key="age" node={node} />],
              ["Registered", formatDateTime(node.registered_at)],
              ["Address", node.address],
              ["Metrics", node.metrics_address],
              ["Host", node.inventory.hostname],
              ["System", node.inventory.os],
              ["Processor", `${node.inventory.cpu_model}, ${node.inventory.cores} cores`],
              ["Memory", formatSize(node.inventory.memory_bytes)],
              ["GPUs", (node.inventory.gpus ?? []).map((gpu) => gpu.model).join(", ") || "none"],
              ...Object.entries(node.versions).map(([key, value]) => [`${key} version`, value] as const),
              ["Labels", Object.entries(node.labels).map(([key, value]) => `${key}=${value}`).join(", ") || "none"],
            ]}
          />
        </div>
      </section>
    </div>
  );
}
