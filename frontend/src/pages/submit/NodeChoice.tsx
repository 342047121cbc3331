import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { NodeView } from "../../api/types";
import { StateBadge } from "../../components/marks/StateBadge";
import { nodesQuery } from "../../data/nodes";
import { plural } from "../../lib/format";
import { hasLabel, isWritable, toggledLabel } from "../../lib/labels";
import { nodeLook } from "../../lib/state";
import classes from "./NodeChoice.module.css";

/** The list is beside a form: it has few lines. */
const MOST_NODES = 8;

interface Props {
  /** The labels that the job asks for, as its field has them. */
  selector: string;
  onChange: (selector: string) => void;
}

/**
 * The nodes with their free slots, and labels to choose by. The page loads the nodes before it shows
 * the form, so nothing moves when they come.
 */
export function NodeChoice({ selector, onChange }: Props) {
  const nodes = useQuery(nodesQuery).data ?? [];
  if (nodes.length === 0) return null;
  const more = nodes.length - MOST_NODES;
  return (
    <ul className={classes.nodes} aria-label="Known nodes">
      {nodes.slice(0, MOST_NODES).map((node) => (
        <li key={node.id}>
          <span className={classes.name} title={node.name}>{node.name}</span>
          <StateBadge look={nodeLook(node)} />
          <span className="dim">
            {node.slots_free} of {plural(node.slots_total, "slot")} free
          </span>
          <Labels node={node} selector={selector} onChange={onChange} />
        </li>
      ))}
      {more > 0 && (
        <li>
          <Link to="/nodes">and {more} more</Link>
        </li>
      )}
    </ul>
  );
}

function Labels({ node, selector, onChange }: Props & { node: NodeView }) {
  return Object.entries(node.labels).map(([key, value]) =>
    isWritable(key, value) ? (
      <button
        key={key}
        type="button"
        className={classes.label}
        aria-pressed={hasLabel(selector, key, value)}
        title={`Only on nodes with ${key}=${value}`}
        onClick={() => onChange(toggledLabel(selector, key, value))}
      >
        {key}={value}
      </button>
    ) : (
      <span key={key} className="dim">
        {key}={value}
      </span>
    ),
  );
}
