import { StateBadge } from "../../components/marks/StateBadge";
import type { Health } from "./alerts";
import { ALERTS_ID } from "./Alerts";
import classes from "./Overview.module.css";

/** The state of the cluster in one sentence; null while it is not known. */
export function HealthLine({ health, hasAlerts }: { health: Health | null; hasAlerts: boolean }) {
  if (!health) return <p className={classes.health}>…</p>;
  return (
    <p className={classes.health} data-health>
      <StateBadge look={health.look} /> {health.sentence} {health.besides && <span className="dim">{health.besides}</span>}{" "}
      {hasAlerts && <a href={`#${ALERTS_ID}`}>See details</a>}
    </p>
  );
}
