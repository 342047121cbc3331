import type { ComparedRow, Comparison, JobView } from "../../api/types";
import { CopyButton } from "../../components/controls/CopyButton";
import { useWidthStep } from "../../components/hooks/useWidthStep";
import { LineSwatch } from "../../components/marks/LineSwatch";
import { ScrollX } from "../../components/controls/ScrollX";
import { Unstable } from "../../components/marks/Unstable";
import { lineOf } from "../../lib/sweep/compare";
import { areMedians, deltaOf, differenceWords, figuresOf, MARKS, rowsOf } from "../../lib/sweep/comparedRows";
import { comparisonCsv, countWords, ratioScale, type RatioScale, shownRows } from "./compareSweeps";
import { IntervalBar } from "./IntervalBar";
import { threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";
import { jobWord } from "../../lib/state";
import classes from "./ComparePage.module.css";

interface Props {
  /** The loaded jobs, in any order. */
  jobs: readonly JobView[];
  found: Comparison;
  algorithm: string;
  inPlace: boolean;
  sizes: readonly number[];
  hovered: number | null;
  onHover: (sizeBytes: number | null) => void;
}

/** A row for each size: the time and bus bandwidth of each job, and how its time differs from the base job's. */
export function SizeTable({ jobs: known, found, algorithm, inPlace, sizes, hovered, onHover }: Props) {
  const { jobs, base } = found;
  const ids = jobs.map((job) => job.job_id);
  const rows = jobs.map((job) => new Map(rowsOf(job, algorithm, inPlace).map((row) => [row.size_bytes, row])));
  const shown = shownRows(found, algorithm, inPlace);
  const isMedian = areMedians(shown);
  const scale = ratioScale(shown);
  const areUnstable = shown.length > 0 && shown.every((row) => row.is_unstable);
  const isNarrow = useWidthStep(WIDE_PX) === 0;
  const words = new Map(known.map((job) => [job.id, jobWord(job)]));
  return (
    <>
      <ScrollX label="Times by size, columns for each job">
        <table className={classes.sizes}>
          <caption className="hidden-visually">
            Time and bus bandwidth by message size, and the difference of the time from job {base}
          </caption>
          <thead>
            <tr>
              <td />
              {jobs.map((job) => (
                <th key={job.job_id} scope="colgroup" className={classes.group} colSpan={columnsOf(job.job_id === base, isMedian, isNarrow).length}>
                  <LineSwatch line={lineOf(job.job_id, ids)} /> {words.get(job.job_id)}
                  {job.job_id === base && ", base job"} <span className="dim">{countWords(rowsOf(job, algorithm, inPlace))}</span>
                </th>
              ))}
            </tr>
            <tr>
              <th scope="col" className="number">Size</th>
              {jobs.flatMap((job) =>
                columnsOf(job.job_id === base, isMedian, isNarrow).map((column, i) => (
                  <th key={`${job.job_id} ${column}`} scope="col" className={i === 0 ? `number ${classes.group}` : "number"}>
                    <span className="hidden-visually">{words.get(job.job_id)} </span>
                    {column}
                    {column === INTERVAL && <span className={classes.ends}> {scale.map(differenceWords).join(" … ")}</span>}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {sizes.map((size) => (
              <tr key={size} data-active={size === hovered || undefined} onMouseEnter={() => onHover(size)} onMouseLeave={() => onHover(null)}>
                <th scope="row" className="number">{formatSize(size)}</th>
                {jobs.map((job, i) => (
                  <Cells key={job.job_id} row={rows[i]?.get(size)} isBase={job.job_id === base} scale={scale} hasMarks={!areUnstable} isMedian={isMedian} isNarrow={isNarrow} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <div className={`card-body ${classes.foot}`}>
        <p className="dim">
          {isMedian ? MEDIANS : MEANS} {areUnstable && "All times are unstable. "}Percentages are of the time. ▲ and ▼ mark 95 % intervals that
          exclude equal times.
          {isNarrow && " The intervals are below the differences; a wider window and the CSV have the bus bandwidths too."}
        </p>
        <CopyButton text={() => comparisonCsv(known, jobs)} label="Copy CSV" />
      </div>
    </>
  );
}

const INTERVAL = "95 % interval";
const MEDIANS =
  "Times are medians of the rounds and bandwidths follow from them; a job\u2019s own page shows means. " +
  "A difference is the median over all pairs of rounds, so it may differ from that of two medians, most where the rounds vary widely.";
const MEANS = "Times are means, as on a job\u2019s own page, because not all rows have rounds.";

/** In a narrower window the bandwidths are left out, and the intervals are words below the differences. */
const WIDE_PX = [721] as const;

function columnsOf(isBase: boolean, isMedian: boolean, isNarrow: boolean): string[] {
  const time = isMedian ? "median (µs)" : "mean (µs)";
  if (isNarrow) return [time, ...(isBase ? [] : ["difference"])];
  return [time, "busbw (GB/s)", ...(isBase ? [] : ["difference", INTERVAL])];
}

interface CellsProps {
  row: ComparedRow | undefined;
  isBase: boolean;
  scale: RatioScale;
  /** Whether unstable times are marked. */
  hasMarks: boolean;
  isMedian: boolean;
  isNarrow: boolean;
}

function Cells({ row, isBase, scale, hasMarks, isMedian, isNarrow }: CellsProps) {
  const delta = row && deltaOf(row);
  const figures = row && figuresOf(row, isMedian);
  const between = row?.p5_us == null ? "" : `, p5 – p95: ${threeDigits(row.p5_us)} – ${threeDigits(row.p95_us)} µs`;
  return (
    <>
      <td className={`number ${classes.group}`} title={row && `n=${row.iterations}${isMedian ? `, mean ${threeDigits(row.time_us)} µs` : ""}${between}`}>
        {figures ? threeDigits(figures.timeUs) : "–"}
        {hasMarks && row?.is_unstable && <Unstable />}
      </td>
      {!isNarrow && <td className="number">{figures ? threeDigits(figures.busbw) : "–"}</td>}
      {!isBase && (
        <>
          <td className={`number ${classes.delta}`} data-mark={delta?.mark}>
            {delta ? (
              <>
                {delta.text} <span aria-hidden="true">{MARKS[delta.mark].glyph}</span>
                <span className="hidden-visually">{MARKS[delta.mark].text}</span>
                {isNarrow && delta.interval && <span className={classes.between}>{delta.interval}</span>}
              </>
            ) : (
              "–"
            )}
          </td>
          {!isNarrow && <td className="number">{delta && row.against && <IntervalBar against={row.against} delta={delta} scale={scale} />}</td>}
        </>
      )}
    </>
  );
}
