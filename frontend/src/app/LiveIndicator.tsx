import type { StreamStatus } from "../data/stream";
import { useNow } from "../components/hooks/useNow";
import { formatAge } from "../lib/format";
import { useAnnouncement } from "../components/hooks/announcements";
import { useLive } from "../data/live";
import classes from "./Shell.module.css";

const LOOKS: Record<StreamStatus, { glyph: string; title: string }> = {
  live: { glyph: "●", title: "Changes appear automatically." },
  stale: { glyph: "◌", title: "No event or heartbeat came for 20 seconds; the page polls every 10 seconds." },
  reconnecting: { glyph: "◌", title: "The live stream is down; the page polls every 10 seconds." },
  polling: { glyph: "◌", title: "Other tabs of this browser use all its live streams; this page polls every 10 seconds." },
  paused: { glyph: "‖", title: "Paused while this tab was hidden." },
};

/** The connection's state (● live, ◌ stale, reconnecting or polling, ‖ paused) and the age of the last event. */
export function LiveIndicator() {
  const { status, stream } = useLive();
  const look = LOOKS[status];
  useAnnouncement(`Live changes: ${status}`);
  return (
    <span className={classes.live} data-status={status}>
      <span title={look.title}>
        <span className={classes.dot} aria-hidden="true">
          {look.glyph}
        </span>{" "}
        {status}
      </span>
      <LastEvent atMs={() => stream.lastEventAtMs} />
    </span>
  );
}

/** A component of its own, so that only these few letters are redrawn each second. */
function LastEvent({ atMs }: { atMs: () => number | null }) {
  const now = useNow();
  const last = atMs();
  return (
    <span className={classes.age} title="Time since the last event">
      {last === null ? "" : formatAge((now - last) / 1000)}
    </span>
  );
}
