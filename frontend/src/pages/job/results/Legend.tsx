import type { AlgorithmBest, MeasurementView } from "../../../api/types";
import { Unstable } from "../../../components/marks/Unstable";
import { isUnstable } from "../../../lib/sweep/cycles";
import { bestRow, METRIC_UNITS, type Series, type Shown, spanOf, type Sweep, valueOf } from "../../../lib/sweep/series";
import type { SizeLine } from "../../../lib/sweep/lines";
import { Swatch } from "../../../components/marks/Swatch";
import { threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import classes from "./Results.module.css";

interface Props {
  sweep: Sweep;
  /** The reference lines; a name is an algorithm and its source. */
  references: readonly SizeLine[];
  shown: Shown;
  hovered: number | null;
  hidden: ReadonlySet<string>;
  /** The best row of each algorithm, out of place or in place, which the tiles and the list of jobs show. */
  best: readonly AlgorithmBest[];
  onToggle: (algorithm: string) => void;
}

/** The legend, with each line's values at the size under the pointer, else its best value. */
export function Legend({ sweep, references, shown, hovered, hidden, best, onToggle }: Props) {
  const index = hovered === null ? -1 : sweep.sizes.indexOf(hovered);
  const isHeadline = index < 0 && shown.metric === "busbw" && shown.statistic === "mean";
  return (
    <div className={classes.legend}>
      <span className={classes.at}>{index < 0 ? "best" : formatSize(hovered ?? 0)}</span>
      <div className={classes.entries}>
        {sweep.series.map((series) => (
          <Entry
            key={`${series.algorithm}/${series.inPlace}`}
            series={series}
            reference={references.find((line) => line.name.startsWith(`${series.algorithm}, `))}
            shown={shown}
            index={index}
            isHidden={hidden.has(series.algorithm)}
            headline={isHeadline ? headlineOf(series, sweep, best) : undefined}
            onToggle={onToggle}
          />
        ))}
      </div>
    </div>
  );
}

interface EntryProps {
  series: Series;
  reference: SizeLine | undefined;
  shown: Shown;
  index: number;
  isHidden: boolean;
  /** The value of the algorithm's tile; undefined where other values are shown. */
  headline: AlgorithmBest | undefined;
  onToggle: (algorithm: string) => void;
}

/** The algorithm's best row, beside its line: of two lines, the one of the same use of the buffers. */
function headlineOf({ algorithm, inPlace }: Series, { series }: Sweep, best: readonly AlgorithmBest[]): AlgorithmBest | undefined {
  const isOnly = series.filter((line) => line.algorithm === algorithm).length === 1;
  return best.find((row) => row.algorithm === algorithm && (isOnly || row.in_place === inPlace));
}

function Entry({ series, reference, shown, index, isHidden, headline, onToggle }: EntryProps) {
  const row = index < 0 ? bestRow(series, shown) : (series.rows[index] ?? null);
  const size = (headline ?? row)?.size_bytes;
  const beside = reference?.points.find(([bytes]) => bytes === size)?.[1];
  return (
    <span className={classes.entry} data-hidden={isHidden || undefined}>
      <Swatch algorithm={series.algorithm} inPlace={series.inPlace} />
      <span>
        <button
          type="button"
          className={classes.toggle}
          aria-pressed={!isHidden}
          title={isHidden ? "Show it in the chart" : "Leave it out of the chart"}
          onClick={() => onToggle(series.algorithm)}
        >
          {series.algorithm}
          {series.inPlace && " in place"}
        </button>{" "}
        <strong>{headline ? threeDigits(headline.busbw_gb_per_s) : row ? threeDigits(valueOf(row, shown)) : "–"}</strong>{" "}
        <span className="dim">{METRIC_UNITS[shown.metric]}</span>
        {headline ? headline.is_unstable && <Unstable /> : row && isUnstable(row) && <Unstable cvPercent={row.cv_percent} />}
      </span>
      <span className={classes.detail}>
        {headline ? headline.in_place && "in place" : row && `${index < 0 ? `at ${formatSize(row.size_bytes)}, ` : ""}${details(row, shown)}`}
      </span>
      <span className={classes.beside}>{beside != null && `${reference?.name.split(", ")[1]} ${threeDigits(beside)}`}</span>
    </span>
  );
}

/** The statistic that the chart does not show, the spread, and the number of iterations. */
function details(row: MeasurementView, shown: Shown): string {
  const span = spanOf(row, shown.metric, shown.limit);
  const other = shown.statistic === "mean" ? "median" : "mean";
  return `${other} ${threeDigits(valueOf(row, { ...shown, statistic: other }))}${span ? `, p5 – p95 ${span.map(threeDigits).join(" – ")}` : ""}, n=${row.iterations}`;
}
