/** The nodes: their state, their hardware and their jobs. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, useCallback, useRef } from "react";
import { nodesQuery, readingsQuery, type SeenNode } from "../../data/nodes";
import type { Blame, NodeReadings } from "../../api/types";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { Loaded } from "../../components/states/Loaded";
import { NoNodes } from "../../components/states/NoNodes";
import { ScrollX } from "../../components/controls/ScrollX";
import { Warnings } from "../../components/states/Warnings";
import { Blamed } from "../../components/marks/Blamed";
import { StateBadge } from "../../components/marks/StateBadge";
import { useBlames } from "../../components/hooks/useBlames";
import { useListKeys } from "../../components/hooks/useListKeys";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { plural } from "../../lib/format";
import { beyondWords, busyWords, sharedAddresses, slotUse, usualVersions, versionsOf, wholeNodeWords } from "../../lib/nodes";
import { hasUnreadGpus, nicWords, ranksBeside } from "./readings";
import { formatSize } from "../../lib/size";
import { nodeLook } from "../../lib/state";
import { HeartbeatAge } from "../../components/HeartbeatAge";
import pageCommands from "../../lib/pageCommands.json";
import { LinkMatrix } from "./links/LinkMatrix";
import { NodeJobs } from "./NodeJobs";
import classes from "./NodesPage.module.css";
import { Trends } from "./Trends";

const HEARTBEAT_MS = 5000;

export function NodesPage() {
  usePageTitle("nodes");
  const nodes = useQuery({ ...nodesQuery, refetchInterval: HEARTBEAT_MS });
  const isAny = nodes.data !== undefined && nodes.data.length > 0;
  return (
    <div className="page">
      <div className="page-head">
        <h1>Nodes</h1>
        {isAny && <p className="dim">{summary(nodes.data)}</p>}
      </div>
      <Loaded query={nodes} what="The nodes could not be loaded" rows={6}>
        {(found) => <div className="card">{found.length > 0 ? <NodesTable nodes={found} /> : <NoNodes />}</div>}
      </Loaded>
      <Warnings warnings={sharedAddresses(nodes.data ?? [])} label="Nodes with the same address" />
      {isAny && <LinkMatrix nodes={nodes.data} />}
      {isAny && <ServerCommand text={pageCommands.nodes} />}
    </div>
  );
}

function summary(nodes: readonly SeenNode[]): string {
  const { busy, total } = slotUse(nodes);
  return `${plural(nodes.length, "node")}, ${busyWords(busy, total)}`;
}

function NodesTable({ nodes }: { nodes: readonly SeenNode[] }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const reveal = useCallback((index: number) => body.current?.rows.item(index) ?? null, []);
  useListKeys(nodes.length, reveal);
  const usual = usualVersions(nodes);
  const blames = useBlames();
  const ranks = ranksBeside(nodes);
  const readings = useQuery(readingsQuery).data;
  const readingsOf = new Map(readings?.map((each) => [each.node, each]));
  return (
    <>
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
              <th scope="col">Network</th>
              <th scope="col">Last 5 minutes</th>
              <th scope="col">Versions</th>
              <th scope="col">Labels</th>
            </tr>
          </thead>
          <tbody ref={body}>
            {nodes.map((node, index) => (
              <NodeRow key={node.id} node={node} index={index} usual={usual} blame={blames.get(node.name)} readings={readingsOf.get(node.name)} ranks={ranks.get(node.name)} />
            ))}
          </tbody>
        </table>
      </ScrollX>
      {readings && nodes.some((node) => hasUnreadGpus(node, readingsOf.get(node.name))) && (
        <p className={`dim ${classes.hint}`}>
          GPU utilisation is missing where NVML does not answer the agent, or the agent is of an earlier version.
        </p>
      )}
    </>
  );
}

interface NodeRowProps {
  node: SeenNode;
  index: number;
  usual: ReadonlyMap<string, string>;
  blame: Blame | undefined;
  readings: NodeReadings | undefined;
  ranks: number | undefined;
}

function NodeRow({ node, index, usual, blame, readings, ranks }: NodeRowProps) {
  return (
    <tr data-index={index}>
      <th scope="row">
        <Link to="/nodes/$name" params={{ name: node.name }}>
          {node.name}
        </Link>
      </th>
      <td className={classes.state} title={node.desired_reason || node.observed_reason || undefined}>
        <StateBadge look={nodeLook(node)} /> <Blamed by={blame} />
      </td>
      <td className="number">
        <HeartbeatAge node={node} />
      </td>
      <td className="number">
        {node.slots_busy} of {node.slots_total}
        {node.slots_busy > node.slots_total && <div className="dim">{beyondWords(node.slots_busy, node.slots_total)}</div>}
        {wholeNodeWords(node) && <div className={`dim ${classes.why}`}>others {wholeNodeWords(node)}</div>}
        {node.slots_quarantined > 0 && <div className={classes.skewed}>⚠ {node.slots_quarantined} quarantined</div>}
      </td>
      <td className={classes.jobs}>
        <NodeJobs node={node} />
      </td>
      <td className="number">{node.inventory.cores}</td>
      <td className="number">{formatSize(node.inventory.memory_bytes)}</td>
      <td className={classes.nowrap}>{gpuText(node)}</td>
      <td className={classes.nowrap}>{nicWords(node.inventory.nics)}</td>
      <td>
        <Trends node={node} readings={readings} ranks={ranks} />
      </td>
      <td className={classes.versions}>
        <Versions node={node} usual={usual} />
      </td>
      <td className={classes.nowrap}>{labelText(node)}</td>
    </tr>
  );
}

/** Marks a version that differs from that of most nodes: ranks of one gang should run the same. */
function Versions({ node, usual }: { node: SeenNode; usual: ReadonlyMap<string, string> }) {
  return versionsOf(node, usual).map(({ name, version, usual: most }, i) => (
    <Fragment key={name}>
      {i > 0 && " · "}
      {most === null ? (
        <span className={classes.nowrap}>
          {name} {version}
        </span>
      ) : (
        <span className={classes.skewed} title={`Most nodes have ${name} ${most}`}>
          ⚠ {name} {version}, most have {most}
        </span>
      )}
    </Fragment>
  ));
}

function gpuText(node: SeenNode): string {
  const { gpus } = node.inventory;
  return gpus?.[0] ? `${gpus.length} × ${gpus[0].model}` : "none";
}

function labelText(node: SeenNode): string {
  const labels = Object.entries(node.labels).map(([key, value]) => `${key}=${value}`);
  return labels.length > 0 ? labels.join(", ") : "–";
}
