import { metricOf, METRIC_NAMES, METRIC_UNITS, type Sweep } from "../../charts/series";
import { threeDigits } from "../../lib/format";
import type { Metric } from "../../lib/search";
import { formatSize } from "../../lib/size";
import classes from "./Results.module.css";

/** The chart as numbers: a row per size, a column per line, the best of each row in bold. */
export function ComparisonTable({ sweep, metric }: { sweep: Sweep; metric: Metric }) {
  return (
    // A scrollable region must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.comparison} tabIndex={0} role="region" aria-label="Comparison by size">
      <table>
        <caption className="hidden-visually">
          {METRIC_NAMES[metric]} in {METRIC_UNITS[metric]} by message size and algorithm
        </caption>
        <thead>
          <tr>
            <th scope="col" className="number">Size</th>
            {sweep.series.map(({ algorithm, inPlace }) => (
              <th key={`${algorithm}/${inPlace}`} scope="col" className="number">
                {algorithm}
                {inPlace && " in place"} ({METRIC_UNITS[metric]})
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sweep.sizes.map((size, index) => (
            <Row key={size} size={size} values={sweep.series.map(({ rows }) => rows[index] ?? null).map((row) => row && metricOf(row, metric))} metric={metric} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ size, values, metric }: { size: number; values: (number | null)[]; metric: Metric }) {
  const known = values.filter((value) => value !== null);
  const best = metric === "time" ? Math.min(...known) : Math.max(...known);
  return (
    <tr>
      <th scope="row" className="number">
        {formatSize(size)}
      </th>
      {values.map((value, i) => (
        <td key={i} className={`number ${value === best ? classes.best : ""}`}>
          {value === null ? "–" : threeDigits(value)}
        </td>
      ))}
    </tr>
  );
}
