import { METRIC_NAMES, METRIC_UNITS, type Shown, spanOf, STATISTIC_NAMES, type Sweep, valueOf } from "../../../lib/sweep/series";
import type { ClearWinner, MeasurementView } from "../../../api/types";
import type { SizeLine } from "../../../lib/sweep/lines";
import { isUnstable } from "../../../lib/sweep/cycles";
import { Unstable } from "../../../components/marks/Unstable";
import { ScrollX } from "../../../components/controls/ScrollX";
import { threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { isWinner } from "./winners";
import classes from "./Results.module.css";

interface Props {
  sweep: Sweep;
  /** The reference lines beside the measured ones. */
  references: readonly SizeLine[];
  shown: Shown;
  /** Clear winners, and where they win. */
  winners: readonly ClearWinner[];
}

/** The chart as numbers: a row per size, a column per line, with p5 to p95, a clear winner by the mean in bold. */
export function ComparisonTable({ sweep, references, shown, winners }: Props) {
  const { metric, statistic } = shown;
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
              <th key={line.name} scope="col" className={`number ${classes.narrow}`}>
                {line.name} ({METRIC_UNITS[metric]})
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sweep.sizes.map((size, index) => (
            <SizeRow
              key={size}
              size={size}
              rows={sweep.series.map(({ rows }) => rows[index] ?? null)}
              shown={shown}
              winners={statistic === "mean" ? winners : []}
              beside={references.map((line) => line.points.find(([at]) => at === size)?.[1] ?? null)}
            />
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

interface SizeRowProps {
  size: number;
  rows: (MeasurementView | null)[];
  shown: Shown;
  winners: readonly ClearWinner[];
  beside: (number | null)[];
}

function SizeRow({ size, rows, shown, winners, beside }: SizeRowProps) {
  return (
    <tr>
      <th scope="row" className="number">
        {formatSize(size)}
      </th>
      {rows.map((row, i) => (
        <td key={i} className={`number ${row && isWinner(row, winners) ? classes.best : ""}`}>
          {row ? <Value row={row} shown={shown} /> : "–"}
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

/** With p5 to p95. */
function Value({ row, shown }: { row: MeasurementView; shown: Shown }) {
  const span = spanOf(row, shown.metric, shown.limit);
  return (
    <>
      {threeDigits(valueOf(row, shown))}
      {span && <span className={classes.span}> {span.map(threeDigits).join(" – ")}</span>}
      {isUnstable(row) && <Unstable cvPercent={row.cv_percent} />}
    </>
  );
}
