import { bestRow, medianOf, metricOf, METRIC_UNITS, type Series, spanOf, type Sweep } from "../../lib/series";
import type { SizeLine } from "../../lib/lines";
import { Swatch } from "../../components/Swatch";
import { threeDigits } from "../../lib/format";
import type { Metric } from "../../lib/search";
import { formatSize } from "../../lib/size";
import classes from "./Results.module.css";

interface Props {
  sweep: Sweep;
  /** What lies beside the lines; a name is an algorithm and where it comes from. */
  references: readonly SizeLine[];
  metric: Metric;
  limit: number | undefined;
  hovered: number | null;
}

/** Which line is which, with its values at the size under the pointer, else at its best size. */
export function Legend({ sweep, references, metric, limit, hovered }: Props) {
  const index = hovered === null ? -1 : sweep.sizes.indexOf(hovered);
  return (
    <div className={classes.legend}>
      <span className={classes.at}>{index < 0 ? "best" : formatSize(hovered ?? 0)}</span>
      <div className={classes.entries}>
        {sweep.series.map((series) => (
          <Entry
            key={`${series.algorithm}/${series.inPlace}`}
            series={series}
            reference={references.find((line) => line.name.startsWith(`${series.algorithm}, `))}
            metric={metric}
            limit={limit}
            index={index}
          />
        ))}
      </div>
    </div>
  );
}

interface EntryProps {
  series: Series;
  reference: SizeLine | undefined;
  metric: Metric;
  limit: number | undefined;
  index: number;
}

function Entry({ series, reference, metric, limit, index }: EntryProps) {
  const row = index < 0 ? bestRow(series) : (series.rows[index] ?? null);
  const span = row && spanOf(row, metric, limit);
  const beside = row && reference?.points.find(([size]) => size === row.size_bytes)?.[1];
  return (
    <span className={classes.entry}>
      <Swatch algorithm={series.algorithm} inPlace={series.inPlace} />
      <span>
        {series.algorithm}
        {series.inPlace && " in place"} <strong>{row ? threeDigits(medianOf(row, metric, limit)) : "–"}</strong>{" "}
        <span className="dim">{METRIC_UNITS[metric]}</span>
      </span>
      <span className={classes.detail}>
        {row &&
          `${index < 0 ? `at ${formatSize(row.size_bytes)}, ` : ""}${span ? `p10 – p90 ${span.map(threeDigits).join(" – ")}, ` : ""}mean ${threeDigits(metricOf(row, metric, limit))}, n=${row.iterations}`}
        {beside != null && `; ${reference?.name.split(", ")[1]} ${threeDigits(beside)}`}
      </span>
    </span>
  );
}
