import { Link } from "@tanstack/react-router";
import type { NodeView } from "../api/types";
import { useBlames } from "./hooks/useBlames";
import { Blamed } from "./marks/Blamed";
import { StateBadge } from "./marks/StateBadge";
import { busyWords, wholeNodeWords } from "../lib/nodes";
import { nodeLook } from "../lib/state";
import classes from "./NodeStrip.module.css";

type Slot = NodeView["slots"][number];

/** One cell per slot of every node: busy with a rank (links to its job), free, drained, or out of reach. */
export function NodeStrip({ nodes }: { nodes: readonly NodeView[] }) {
  const blames = useBlames();
  return (
    <ul className={classes.nodes}>
      {nodes.map((node) => (
        <li key={node.id}>
          <div className={classes.head}>
            <Link to="/nodes/$name" params={{ name: node.name }}>
              {node.name}
            </Link>
            <StateBadge look={nodeLook(node)} />
            <Blamed by={blames.get(node.name)} />
            <span className="dim">{busyWords(node.slots_busy, node.slots_total)}</span>
          </div>
          <ul className={classes.slots} aria-label={`Slots of ${node.name}`}>
            {node.slots.map((slot) => (
              <SlotCell key={slot.slot} slot={slot} node={node} />
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

/** What is written in the cell of a slot without a rank. A drained slot is no fault, and has no sign of one. */
function lookOf(slot: Slot, node: NodeView): { use: "free" | "drained" | "out"; glyph: string; words: string } {
  if (slot.quarantine !== null) return { use: "out", glyph: "⚠", words: `quarantined: ${slot.quarantine}` };
  if (node.observed === "lost") return { use: "out", glyph: "⚠", words: "not usable, as the node is lost" };
  if (node.desired === "drain") return { use: "drained", glyph: "⏏", words: "drained" };
  const kept = wholeNodeWords(node);
  return kept ? { use: "drained", glyph: "–", words: kept } : { use: "free", glyph: "○", words: "free" };
}

function SlotCell({ slot, node }: { slot: Slot; node: NodeView }) {
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
  const { use, glyph, words } = lookOf(slot, node);
  const label = `Slot ${slot.slot}: ${words}`;
  return (
    <li className={classes.slot} data-use={use} title={label}>
      <span aria-hidden="true">{glyph}</span>
      <span className="hidden-visually">{label}</span>
    </li>
  );
}
