import { Mark } from "./Reasons";
import classes from "./SimulatedBadge.module.css";

const WHY = "Times of the cost model on a virtual clock; nothing was measured.";

/** Marks numbers of the cost model that could be mistaken for measured ones. */
export function SimulatedBadge({ isInRow }: { isInRow?: boolean }) {
  return (
    <Mark className={classes.badge} why={WHY} isInRow={isInRow}>
      SIM<span className={classes.rest}>ULATED</span>
    </Mark>
  );
}
