import type { StateLook } from "../../lib/state";
import classes from "./StateBadge.module.css";

/** A state as glyph, word and colour; one element, as long lists have many. */
export function StateBadge({ look, large = false }: { look: StateLook; large?: boolean }) {
  return (
    <span className={classes.badge} data-tone={look.tone} data-glyph={look.glyph} data-large={large || undefined}>
      {look.text}
    </span>
  );
}
