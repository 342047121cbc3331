import type { NodeReadings, NodeView } from "../../api/types";
import { trendsOf, type Trend } from "./readings";
import classes from "./NodesPage.module.css";

/** How busy the node was in the last minutes. */
export function Trends({ node, readings, ranks }: { node: NodeView; readings: NodeReadings | undefined; ranks: number | undefined }) {
  const trends = trendsOf(node, readings, ranks);
  if (trends.length === 0) return "–";
  return (
    <ul className={classes.trends}>
      {trends.map((trend) => (
        <li key={trend.name} title={`At most ${trend.most} in the last 5 minutes`}>
          <span className="dim">{trend.name}</span> <TrendChart trend={trend} />{" "}
          {trend.warning ? (
            <span className={classes.skewed} title={trend.warning}>
              ⚠ {trend.now}
            </span>
          ) : (
            trend.now
          )}
        </li>
      ))}
    </ul>
  );
}

function TrendChart({ trend: { name, points, most } }: { trend: Trend }) {
  if (points === "") return null;
  return (
    <svg role="img" aria-label={`${name} over 5 minutes, at most ${most}`} viewBox="0 0 1 1" preserveAspectRatio="none" className={classes.trend}>
      <polyline points={points} fill="none" stroke="var(--accent)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
