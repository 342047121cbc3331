import classes from "./SimulatedBadge.module.css";

const WHY = "Times of the cost model on a virtual clock; nothing was measured.";

/** Stands wherever numbers of the cost model could be taken for measured ones. */
export function SimulatedBadge() {
  return (
    <span className={classes.badge} title={WHY}>
      SIM<span className={classes.rest}>ULATED</span>
    </span>
  );
}
