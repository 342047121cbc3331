import { METRIC_NAMES, METRIC_UNITS, type Shown, spanOf, STATISTIC_NAMES, type Sweep, valueOf } from "../../lib/series";
import type { SizeLine } from "../../lib/lines";
import { ScrollX } from "../../components/ScrollX";
import { threeDigits } from "../../lib/format";
import type { Metric } from "../../lib/search";
import { formatSize } from "../../lib/size";
import classes from "./Results.module.css";

interface Props {
  sweep: Sweep;
  /** What lies beside the measured lines. */
  references: readonly SizeLine[];
  shown: Shown;
}

/** The chart as numbers: a row per size, a column per line, with p5 to p95, the best of each row in bold. */
export function ComparisonTable({ sweep, references, shown }: Props) {
  const { metric, statistic, limit } = shown;
  return (
    <ScrollX label="Comparison by size" isTall>
      <table>
        <caption className="hidden-visually">
          {METRIC_NAMES[metric]}, {STATISTIC_NAMES[statistic]}, in {METRIC_UNITS[metric]} by message size and algorithm
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
            {references.map((line) => (
              <th key={line.name} scope="col" className="number">
                {line.name} ({METRIC_UNITS[metric]})
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sweep.sizes.map((size, index) => (
            <Row
              key={size}
              size={size}
              values={sweep.series.map(({ rows }) => rows[index] ?? null).map((row) => row && valueOf(row, shown))}
              spans={sweep.series.map(({ rows }) => rows[index] ?? null).map((row) => row && spanOf(row, metric, limit))}
              beside={references.map((line) => line.points.find(([at]) => at === size)?.[1] ?? null)}
              metric={metric}
            />
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

interface RowProps {
  size: number;
  values: (number | null)[];
  /** p5 to p95 of each. */
  spans: (readonly [number, number] | null)[];
  beside: (number | null)[];
  metric: Metric;
}

function Row({ size, values, spans, beside, metric }: RowProps) {
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
          {spans[i] && <span className={classes.span}> {spans[i].map(threeDigits).join(" – ")}</span>}
        </td>
      ))}
      {beside.map((value, i) => (
        <td key={i} className="number dim">
          {value === null ? "–" : threeDigits(value)}
        </td>
      ))}
    </tr>
  );
}
