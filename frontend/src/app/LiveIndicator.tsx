import type { StreamStatus } from "../api/stream";
import { useLiveStatus } from "./live";
import classes from "./Shell.module.css";

const LOOKS: Record<StreamStatus, { glyph: string; title: string }> = {
  live: { glyph: "●", title: "Changes appear by themselves." },
  reconnecting: { glyph: "◌", title: "The stream is down; the page asks for news every 10 seconds." },
  paused: { glyph: "‖", title: "Paused while this tab was hidden." },
};

/** ● live, ◌ reconnecting or ‖ paused. */
export function LiveIndicator() {
  const status = useLiveStatus();
  const look = LOOKS[status];
  return (
    <span className={classes.live} data-status={status} role="status" title={look.title}>
      <span className={classes.dot} aria-hidden="true">
        {look.glyph}
      </span>
      {status}
    </span>
  );
}
