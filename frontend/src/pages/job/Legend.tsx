import { bestRow, metricOf, METRIC_UNITS, type Series, type Sweep } from "../../charts/series";
import { Swatch } from "../../components/Swatch";
import { threeDigits } from "../../lib/format";
import type { Metric } from "../../lib/search";
import { formatSize } from "../../lib/size";
import classes from "./Results.module.css";

interface Props {
  sweep: Sweep;
  metric: Metric;
  hovered: number | null;
}

/** Which line is which, with its values at the size under the pointer, else at its best size. */
export function Legend({ sweep, metric, hovered }: Props) {
  const index = hovered === null ? -1 : sweep.sizes.indexOf(hovered);
  return (
    <div className={classes.legend}>
      <span className={classes.at}>{index < 0 ? "best" : formatSize(hovered ?? 0)}</span>
      <div className={classes.entries}>
        {sweep.series.map((series) => (
          <Entry key={`${series.algorithm}/${series.inPlace}`} series={series} metric={metric} index={index} />
        ))}
      </div>
    </div>
  );
}

function Entry({ series, metric, index }: { series: Series; metric: Metric; index: number }) {
  const row = index < 0 ? bestRow(series) : (series.rows[index] ?? null);
  return (
    <span className={classes.entry}>
      <Swatch algorithm={series.algorithm} inPlace={series.inPlace} />
      <span>
        {series.algorithm}
        {series.inPlace && " in place"} <strong>{row ? threeDigits(metricOf(row, metric)) : "–"}</strong>{" "}
        <span className="dim">{METRIC_UNITS[metric]}</span>
      </span>
      <span className={classes.detail}>
        {row &&
          `${index < 0 ? `at ${formatSize(row.size_bytes)}, ` : ""}p50 ${threeDigits(row.p50_us)}, p99 ${threeDigits(row.p99_us)} µs, n=${row.iterations}`}
      </span>
    </span>
  );
}
