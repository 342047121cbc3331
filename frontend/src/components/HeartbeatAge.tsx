import type { SeenNode } from "../data/nodes";
import { useNow } from "./hooks/useNow";
import { formatAgo, formatDateTime } from "../lib/format";

/** Time since the agent's last heartbeat: the server's figure, which this browser's clock continues. */
export function HeartbeatAge({ node }: { node: SeenNode }) {
  const now = useNow();
  const seconds = node.heartbeat_age_seconds + Math.max(0, now - node.seen_at_ms) / 1000;
  return (
    <time dateTime={node.last_heartbeat_at} title={formatDateTime(node.last_heartbeat_at)}>
      {formatAgo(seconds)}
    </time>
  );
}
