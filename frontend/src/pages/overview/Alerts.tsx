import { Link } from "@tanstack/react-router";
import { StateBadge } from "../../components/marks/StateBadge";
import type { Alert } from "./alerts";
import classes from "./Alerts.module.css";

const MOST = 8;
export const ALERTS_ID = "alerts";

/** Problems that need attention; nothing if there are none. Below the lists, so that these do not move when it appears. */
export function Alerts({ alerts }: { alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null;
  return (
    <section className="card" aria-labelledby={ALERTS_ID}>
      <div className="card-head">
        <h2 id={ALERTS_ID}>Needs attention</h2>
      </div>
      <ul className={classes.alerts}>
        {alerts.slice(0, MOST).map((alert) => (
          <li key={alert.id}>
            <StateBadge look={alert.look} />
            <Link to={alert.path} search={(alert.search ?? {}) as never}>
              {alert.text}
            </Link>
          </li>
        ))}
        {alerts.length > MOST && <li className="dim">and {alerts.length - MOST} more</li>}
      </ul>
    </section>
  );
}
