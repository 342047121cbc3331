import { Link } from "@tanstack/react-router";
import type { JobView, NodeView } from "../../api/types";
import { StateBadge } from "../../components/StateBadge";
import { alertsOf } from "../../lib/alerts";
import classes from "./Alerts.module.css";

const MOST = 8;

/** What wants attention; nothing while nothing does. */
export function Alerts({ nodes, jobs }: { nodes: readonly NodeView[]; jobs: readonly JobView[] }) {
  const alerts = alertsOf(nodes, jobs);
  if (alerts.length === 0) return null;
  return (
    <section className="card" aria-labelledby="alerts">
      <div className="card-head">
        <h2 id="alerts">Needs attention</h2>
      </div>
      <ul className={classes.alerts}>
        {alerts.slice(0, MOST).map((alert) => (
          <li key={alert.id}>
            <StateBadge look={alert.look} />
            <Link to={alert.path}>{alert.text}</Link>
          </li>
        ))}
        {alerts.length > MOST && <li className="dim">and {alerts.length - MOST} more</li>}
      </ul>
    </section>
  );
}
