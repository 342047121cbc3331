/** The machines: are they there, what are they made of, what do they run? */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { nodesQuery, type SeenNode } from "../../api/queries";
import { ErrorNote } from "../../components/ErrorNote";
import { NoNodes } from "../../components/NoNodes";
import { ScrollX } from "../../components/ScrollX";
import { StateBadge } from "../../components/StateBadge";
import { usePageTitle } from "../../components/usePageTitle";
import { plural } from "../../lib/format";
import { formatSize } from "../../lib/size";
import { nodeLook } from "../../lib/state";
import { HeartbeatAge } from "./HeartbeatAge";
import classes from "./NodesPage.module.css";
import { NodeJobs } from "./NodeJobs";

const HEARTBEAT_MS = 5000;

export function NodesPage() {
  usePageTitle("nodes");
  const nodes = useQuery({ ...nodesQuery, refetchInterval: HEARTBEAT_MS });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Nodes</h1>
        {nodes.data && nodes.data.length > 0 && <p className="dim">{summary(nodes.data)}</p>}
      </div>
      {nodes.error && (
        <ErrorNote what="The nodes could not be loaded" error={nodes.error} onRetry={() => void nodes.refetch()} />
      )}
      {nodes.data && (
        <div className="card">{nodes.data.length > 0 ? <NodesTable nodes={nodes.data} /> : <NoNodes />}</div>
      )}
    </div>
  );
}

function summary(nodes: readonly SeenNode[]): string {
  const slots = nodes.reduce((sum, node) => sum + node.slots_total, 0);
  const busy = nodes.reduce((sum, node) => sum + node.slots_busy, 0);
  return `${plural(nodes.length, "node")}, ${busy} of ${plural(slots, "slot")} busy`;
}

function NodesTable({ nodes }: { nodes: readonly SeenNode[] }) {
  return (
    <ScrollX label="Nodes, one row each">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col" className="number">Heartbeat</th>
            <th scope="col" className="number">Slots busy</th>
            <th scope="col">Runs</th>
            <th scope="col" className="number">Cores</th>
            <th scope="col" className="number">Memory</th>
            <th scope="col">GPUs</th>
            <th scope="col">Versions</th>
            <th scope="col">Labels</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.id}>
              <th scope="row">
                <Link to="/nodes/$name" params={{ name: node.name }}>
                  {node.name}
                </Link>
              </th>
              <td>
                <StateBadge look={nodeLook(node)} />
              </td>
              <td className="number">
                <HeartbeatAge node={node} />
              </td>
              <td className="number">
                {node.slots_busy} of {node.slots_total}
              </td>
              <td>
                <NodeJobs node={node} />
              </td>
              <td className="number">{node.inventory.cores}</td>
              <td className="number">{formatSize(node.inventory.memory_bytes)}</td>
              <td className={classes.nowrap}>{gpuText(node)}</td>
              <td className={classes.nowrap}>
                {["ringscope", "python", "mpi"].flatMap((name) => versionText(node, name)).join(" · ")}
              </td>
              <td className={classes.nowrap}>{labelText(node)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function gpuText(node: SeenNode): string {
  const { gpus } = node.inventory;
  return gpus?.[0] ? `${gpus.length} × ${gpus[0].model}` : "none";
}

function versionText(node: SeenNode, name: string): string[] {
  const version = node.versions[name];
  return version ? [`${name} ${version}`] : [];
}

function labelText(node: SeenNode): string {
  const labels = Object.entries(node.labels).map(([key, value]) => `${key}=${value}`);
  return labels.length > 0 ? labels.join(", ") : "–";
}
