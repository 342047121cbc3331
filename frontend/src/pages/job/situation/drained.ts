/** The drained nodes that a waiting job could use. Pure. */
import type { JobView, NodeView } from "../../../api/types";

/** The reasons for waiting that another node may end. */
const ENDED_BY_A_NODE: readonly string[] = ["no_node", "slots", "shape"];

/** The drained nodes that satisfy the job's choice of nodes; none if the job waits for something else than nodes. */
export function drainedFor<N extends NodeView>({ state, pending, spec: { placement } }: JobView, nodes: readonly N[]): N[] {
  if (state !== "queued" || !ENDED_BY_A_NODE.includes(pending?.reason ?? "")) return [];
  const isNamed = ({ name }: NodeView): boolean => placement.node_names.length === 0 || placement.node_names.includes(name);
  const isSelected = ({ labels }: NodeView): boolean =>
    Object.entries(placement.selector ?? {}).every(([label, value]) => labels[label] === value);
  return nodes.filter((node) => node.desired === "drain" && node.observed !== "lost" && isNamed(node) && isSelected(node));
}

/** "is drained and takes no job. ada: kernel update." */
export function drainWords({ desired_by: by, desired_reason: reason }: NodeView): string {
  const why = reason ? ` ${by ? `${by}: ` : "Reason: "}${reason}${/[.!?]$/.test(reason) ? "" : "."}` : "";
  return `is drained${by && !reason ? ` by ${by}` : ""} and takes no job.${why}`;
}
