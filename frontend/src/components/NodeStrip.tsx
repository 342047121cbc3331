import { Link } from "@tanstack/react-router";
import type { NodeView } from "../api/types";
import { StateBadge } from "./marks/StateBadge";
import { busyWords } from "../lib/nodes";
import { nodeLook } from "../lib/state";
import classes from "./NodeStrip.module.css";

type Slot = NodeView["slots"][number];

/** One cell per slot of every node: busy with a rank (links to its job), free, or out of reach. */
export function NodeStrip({ nodes }: { nodes: readonly NodeView[] }) {
  return (
    <ul className={classes.nodes}>
      {nodes.map((node) => (
        <li key={node.id}>
          <div className={classes.head}>
            <Link to="/nodes/$name" params={{ name: node.name }}>
              {node.name}
            </Link>
            <StateBadge look={nodeLook(node)} />
            <span className="dim">{busyWords(node.slots_busy, node.slots_total)}</span>
          </div>
          <ul className={classes.slots} aria-label={`Slots of ${node.name}`}>
            {node.slots.map((slot) => (
              <SlotCell key={slot.slot} slot={slot} isUsable={node.observed !== "lost" && node.desired === "active"} />
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function SlotCell({ slot, isUsable }: { slot: Slot; isUsable: boolean }) {
  if (slot.job_id !== null) {
    const label = `Slot ${slot.slot}: rank ${slot.rank} of job ${slot.job_id}`;
    return (
      <li>
        <Link
          to="/jobs/$jobId"
          params={{ jobId: slot.job_id }}
          className={classes.slot}
          data-use="busy"
          aria-label={label}
          title={label}
        >
          ◐
        </Link>
      </li>
    );
  }
  const isFree = isUsable && slot.quarantine === null;
  const label = `Slot ${slot.slot}: ${slot.quarantine === null ? (isFree ? "free" : "not usable") : `quarantined: ${slot.quarantine}`}`;
  return (
    <li className={classes.slot} data-use={isFree ? "free" : "out"} title={label}>
      <span aria-hidden="true">{isFree ? "○" : "⚠"}</span>
      <span className="hidden-visually">{label}</span>
    </li>
  );
}
