/** All details of one node, and the actions for it. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Suspense, useCallback, useState } from "react";
import { lazyPart } from "../../components/lazyPart";
import { nodesQuery, type SeenNode } from "../../data/nodes";
import { FailedPage } from "../../components/states/FailedPage";
import { Properties } from "../../components/Properties";
import { CopyMenu } from "../../components/controls/CopyMenu";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { PageSkeleton, Skeleton } from "../../components/states/Skeleton";
import { useShortcut } from "../../components/hooks/shortcuts";
import { StateBadge } from "../../components/marks/StateBadge";
import { useFavicon } from "../../components/hooks/useFavicon";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { useRole } from "../../components/hooks/useRole";
import { formatDateTime } from "../../lib/format";
import { clockInWords } from "../../lib/gang";
import pageCommands from "../../lib/pageCommands.json";
import { gbit } from "./readings";
import { formatSize } from "../../lib/size";
import { nodeLook } from "../../lib/state";
import { NodeStrip } from "../../components/NodeStrip";
import { HeartbeatAge } from "../../components/HeartbeatAge";
import { Labels } from "./Labels";
import { NodeEvents } from "./NodeEvents";
import { NodeHistory } from "./NodeHistory";
import { NodeJobs } from "./NodeJobs";
import classes from "./NodesPage.module.css";
import { Quarantine } from "./Quarantine";
import { RemoveDialog } from "./RemoveDialog";
import { DrainDialog } from "../../components/controls/DrainDialog";
import { ResumeDialog } from "../../components/controls/ResumeDialog";

// Charts and the matrix of links are loaded after the rest of the page.
const NodeGpus = lazyPart(async () => (await import("./NodeGpus")).NodeGpus);
const NodeRas = lazyPart(async () => (await import("./NodeRas")).NodeRas);
const LinkMatrix = lazyPart(async () => (await import("./links/LinkMatrix")).LinkMatrix);
const NodeLoad = lazyPart(async () => (await import("./NodeLoad")).NodeLoad);

const route = getRouteApi("/nodes/$name");
const HEARTBEAT_MS = 5000;

export function NodePage() {
  const { name } = route.useParams();
  const nodes = useQuery({ ...nodesQuery, refetchInterval: HEARTBEAT_MS });
  const node = nodes.data?.find((item) => item.name === name);
  const look = node && nodeLook(node);
  usePageTitle(look ? `${look.glyph} ${look.text}` : null, name);
  useFavicon(look?.tone ?? null);
  if (nodes.error && !nodes.data) {
    return <FailedPage title={`Node ${name}`} what="The node could not be loaded" error={nodes.error} onRetry={() => void nodes.refetch()} />;
  }
  if (!nodes.data) return <PageSkeleton title={`Node ${name}`} />;
  if (!node) {
    return (
      <section className="page">
        <h1>There is no node named {name}</h1>
        <p>
          See <Link to="/nodes">all nodes</Link>, or in a terminal:
        </p>
        <ServerCommand text={pageCommands.nodes} />
      </section>
    );
  }
  return <Node node={node} nodes={nodes.data} />;
}

function Node({ node, nodes }: { node: SeenNode; nodes: readonly SeenNode[] }) {
  const { mayChange, isAdmin } = useRole();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{node.name}</h1>
        <StateBadge look={nodeLook(node)} large />
        <Actions node={node} />
        <CopyMenu command={`ringscope node ${node.name}`} path={`/nodes/${encodeURIComponent(node.name)}`} />
      </div>
      <Why node={node} />
      <section className="card" aria-label="Slots">
        <NodeStrip nodes={[node]} />
        <Quarantine node={node} isAdmin={isAdmin} />
      </section>
      {(node.inventory.gpus ?? []).length > 0 && (
        <Suspense fallback={<Skeleton rows={4} />}>
          <NodeGpus name={node.name} />
        </Suspense>
      )}
      {node.inventory.nccl_ras && (
        <Suspense fallback={<Skeleton rows={4} />}>
          <NodeRas name={node.name} address={node.inventory.nccl_ras} />
        </Suspense>
      )}
      <Suspense fallback={<Skeleton rows={23} />}>
        <NodeLoad node={node} />
      </Suspense>
      <div className={classes.columns}>
        <Inventory node={node} />
        <div className="page">
          <Labels node={node} mayChange={mayChange} />
          <NodeEvents name={node.name} />
        </div>
      </div>
      <Suspense fallback={<Skeleton rows={8} />}>
        <LinkMatrix nodes={nodes} only={node.name} />
      </Suspense>
      <NodeHistory name={node.name} />
    </div>
  );
}

/** What the user may do with the node in its state. */
function Actions({ node }: { node: SeenNode }) {
  const { mayChange, isAdmin } = useRole();
  const [asked, setAsked] = useState<"drain" | "resume" | "remove" | null>(null);
  const close = (): void => setAsked(null);
  const mayDrain = mayChange && node.desired === "active";
  const mayResume = mayChange && (node.desired === "drain" || node.observed === "degraded");
  const drain = useCallback(() => setAsked("drain"), []);
  const resume = useCallback(() => setAsked("resume"), []);
  useShortcut("drain", mayDrain ? drain : null);
  useShortcut("resume", mayResume ? resume : null);
  return (
    <div className={classes.actions}>
      {mayDrain && <Button onClick={drain}>Drain …</Button>}
      {mayResume && <Button onClick={resume}>Resume …</Button>}
      {isAdmin && node.observed === "lost" && <Button onClick={() => setAsked("remove")}>Remove …</Button>}
      <DrainDialog node={node} isOpen={asked === "drain"} onClose={close} />
      <ResumeDialog node={node} isOpen={asked === "resume"} onClose={close} />
      <RemoveDialog node={node} isOpen={asked === "remove"} onClose={close} />
    </div>
  );
}

/** Why it is drained, degraded or lost, and until when. */
function Why({ node }: { node: SeenNode }) {
  const sentences = [
    node.desired === "drain" && `Drained by ${node.desired_by ?? "an unknown user"}: ${node.desired_reason}`,
    node.observed !== "ready" && node.observed_reason,
    node.leaves_at && `Its batch system takes it back at ${formatDateTime(node.leaves_at)}.`,
  ].filter(Boolean);
  return sentences.map((sentence) => <p key={String(sentence)}>{sentence}</p>);
}

function Inventory({ node }: { node: SeenNode }) {
  const { inventory } = node;
  const nics = (inventory.nics ?? []).map((nic) => `${nic.name}${nic.speed_mbit_per_s ? ` ${gbit(nic.speed_mbit_per_s)}` : ""}`);
  return (
    <section className="card">
      <div className="card-head">
        <h2>Inventory</h2>
      </div>
      <div className="card-body">
        <Properties
          items={[
            ["Runs", <NodeJobs key="jobs" node={node} />],
            ["Last heartbeat", <HeartbeatAge key="age" node={node} />],
            ["Clock against the server's", clockInWords(node)],
            ["Registered", formatDateTime(node.registered_at)],
            ["Address", node.address],
            ["Metrics", node.metrics_address],
            ["Host", inventory.hostname],
            ["System", inventory.os],
            ["Processor", `${inventory.cpu_model}, ${inventory.cores} cores`],
            ["Memory", formatSize(inventory.memory_bytes)],
            ["GPUs", (inventory.gpus ?? []).map((gpu) => `${gpu.model} ${formatSize(gpu.memory_bytes)}`).join(", ") || "none"],
            ["Network", nics.join(", ") || "unknown"],
            ["Variables that jobs may set", inventory.allow_env?.join(", ") || "none"],
            ...Object.entries(node.versions).map(([key, value]) => [`${key} version`, value] as const),
          ]}
        />
      </div>
    </section>
  );
}
