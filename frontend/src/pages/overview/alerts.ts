/** The overview's alerts. Pure. */
import type { JobView, NodeView } from "../../api/types";
import { plural } from "../../lib/format";
import { INSIGHTS } from "../../lib/insight";
import { isActive, type StateLook } from "../../lib/state";

export interface Alert {
  id: string;
  look: StateLook;
  text: string;
  /** The page with the details. */
  path: string;
}

const WARN: StateLook = { glyph: "⚠", text: "", tone: "warn" };

/** Nodes that are lost, degraded, drained or have quarantined slots; then the active insights of running jobs. */
export function alertsOf(nodes: readonly NodeView[], jobs: readonly JobView[]): Alert[] {
  return [...nodes.flatMap(ofNode), ...jobs.filter((job) => isActive(job.state)).flatMap(ofJob)];
}

function ofNode(node: NodeView): Alert[] {
  const path = `/nodes/${encodeURIComponent(node.name)}`;
  const alert = (text: string, sentence: string, glyph = "⚠"): Alert => ({
    id: `${node.name} ${text}`,
    look: { ...WARN, glyph, text },
    text: `${node.name}: ${sentence}`,
    path,
  });
  return [
    ...(node.observed === "ready" ? [] : [alert(node.observed, node.observed_reason || `it is ${node.observed}.`)]),
    ...(node.desired === "drain" ? [alert("draining", `${node.desired_reason} (by ${node.desired_by ?? "an unknown user"})`, "⏏")] : []),
    ...(node.slots_quarantined > 0 ? [alert("quarantine", `${plural(node.slots_quarantined, "slot")} not proven free.`)] : []),
  ];
}

function ofJob(job: JobView): Alert[] {
  return job.insights
    .filter((insight) => insight.until === null)
    .map((insight) => ({
      id: `insight ${insight.id}`,
      look: { ...WARN, text: INSIGHTS[insight.kind].toLowerCase() },
      text: `job ${job.id}: ${insight.message}`,
      path: `/jobs/${job.id}`,
    }));
}
