import type { StateLook } from "../lib/state";
import classes from "./StateBadge.module.css";

/** A state as glyph, word and colour. */
export function StateBadge({ look, large = false }: { look: StateLook; large?: boolean }) {
  return (
    <span className={classes.badge} data-tone={look.tone} data-large={large || undefined}>
      <span aria-hidden="true">{look.glyph}</span>
      {look.text}
    </span>
  );
}
