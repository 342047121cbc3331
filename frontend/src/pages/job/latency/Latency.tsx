/** How long calls took: percentiles over the message size, and the iterations of the chosen size. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { latenciesQuery } from "../../../data/results";
import type { BenchmarkJob, LatencyCurve, MeasurementView } from "../../../api/types";
import { sizeRange } from "../../../lib/sweep/axes";
import { PercentileChart } from "./PercentileChart";
import { SizeChart } from "../../../charts/SizeChart";
import { colourToken } from "../../../lib/sweep/style";
import { CopyButton } from "../../../components/controls/CopyButton";
import { LineSwatch } from "../../../components/marks/LineSwatch";
import { Loaded } from "../../../components/states/Loaded";
import { ScrollX } from "../../../components/controls/ScrollX";
import { Segments } from "../../../components/controls/Segments";
import { Caption } from "../../../components/marks/Caption";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import { Unstable } from "../../../components/marks/Unstable";
import { timedIterations } from "../../../lib/sweep/caption";
import { basisOf } from "../../../lib/sweep/caveats";
import { rowOptions } from "../chosenRow";
import { isUnstable } from "../../../lib/sweep/cycles";
import { toCsv } from "../../../lib/csv";
import { formatCount, plural, threeDigits } from "../../../lib/format";
import { percentileLines, PERCENTILES, shareText } from "../../../lib/sweep/percentiles";
import { formatSize } from "../../../lib/size";
import { isSimulated } from "../../../lib/state";
import { NoRows } from "../NoRows";
import classes from "../results/Results.module.css";
import { RowChoice } from "../RowChoice";
import { useView } from "../useView";

interface Props {
  job: BenchmarkJob;
  rows: readonly MeasurementView[];
}

export function Latency({ job, rows }: Props) {
  const [search, set] = useView();
  const options = useMemo(() => rowOptions(rows, job.spec.benchmark.algorithms, search), [rows, job, search]);
  if (rows.length === 0) return <NoRows job={job} />;
  const isTable = search.view === "table";
  return (
    <section className={`card ${classes.results}`} aria-labelledby="latency">
      <div className="card-head">
        <h2 id="latency">Latency of {options.algorithm}</h2>
        <RowChoice job={job} options={options} />
        <div className={classes.controls}>
          <Segments
            label="View"
            value={search.view ?? "chart"}
            options={[["chart", "charts"], ["table", "table"]]}
            onChange={(view) => set({ view: view === "chart" ? undefined : view })}
          />
          <CopyButton text={() => toCsv(options.rows, ["algorithm", "in_place", "size_bytes", "iterations", "min_us", "p10_us", "p50_us", "p90_us", "p95_us", "p99_us", "max_us"], ({ transport }) => basisOf(job, transport))} label="Copy CSV" />
        </div>
      </div>
      <BySize job={job} rows={options.rows} isTable={isTable} chosen={options.chosen?.size_bytes ?? null} onChoose={(size) => set({ size: String(size) })} />
      {options.chosen && <OfOneSize job={job} row={options.chosen} isTable={isTable} />}
    </section>
  );
}

/** Rows of earlier versions have no p90. */
function figure(timeUs: number | null | undefined): string {
  return timeUs == null ? "–" : threeDigits(timeUs);
}

interface BySizeProps {
  job: BenchmarkJob;
  rows: readonly MeasurementView[];
  isTable: boolean;
  chosen: number | null;
  onChoose: (sizeBytes: number) => void;
}

function BySize({ job, rows, isTable, chosen, onChoose }: BySizeProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const lines = useMemo(() => percentileLines(rows), [rows]);
  const range = useMemo(() => sizeRange(rows.map((row) => row.size_bytes)), [rows]);
  const at = rows.find((row) => row.size_bytes === (hovered ?? chosen));
  const { warmup, iterations } = job.spec.benchmark;
  return (
    <figure className="card-body">
      <div className={classes.legend}>
        <span className={classes.at}>
          {at ? formatSize(at.size_bytes) : ""}
          {at && isUnstable(at) && <Unstable cvPercent={at.cv_percent} />}
        </span>
        <div className={classes.entries}>
          {PERCENTILES.map(([name, field], i) => (
            <span key={name} className={classes.entry}>
              {lines[i] && <LineSwatch line={lines[i]} />}
              <span>
                {name} <strong>{at ? figure(at[field]) : "–"}</strong> <span className="dim">µs{at && `, n=${at.iterations}`}</span>
              </span>
            </span>
          ))}
        </div>
      </div>
      {isTable ? (
        <PercentileTable rows={rows} />
      ) : (
        <SizeChart lines={lines} yLabel="Time (µs)" isLog range={range} hovered={hovered} onHover={setHovered} chosen={chosen} onChoose={onChoose} />
      )}
      <Caption
        more={
          <>
            Both axes are logarithmic; nothing is smoothed.
            {job.spec.benchmark.cycles > 1 && " With several cycles, min, p99 and max are the most extreme, and the others are means."}
          </>
        }
      >
        {isSimulated(job, rows) && <SimulatedBadge />} Percentiles of {timedIterations(rows, iterations)} of each size after {warmup} untimed,
        by the slowest rank of each iteration.
        {rows.some((row) => row.iterations < 100) && ` With fewer than 100 iterations, p99 is the slowest one.`}
      </Caption>
    </figure>
  );
}

function PercentileTable({ rows }: { rows: readonly MeasurementView[] }) {
  return (
    <ScrollX label="Percentiles by size">
      <table>
        <caption className="hidden-visually">Percentiles of the time in µs by message size</caption>
        <thead>
          <tr>
            <th scope="col" className="number">Size</th>
            <th scope="col" className="number">n</th>
            <th scope="col" className="number">min (µs)</th>
            {PERCENTILES.map(([name]) => (
              <th key={name} scope="col" className="number">{name} (µs)</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.size_bytes}>
              <th scope="row" className="number">{formatSize(row.size_bytes)}</th>
              <td className="number">{row.iterations}</td>
              <td className="number">{threeDigits(row.min_us)}</td>
              {PERCENTILES.map(([name, field]) => (
                <td key={name} className="number">
                  {figure(row[field])}
                  {field === "p50_us" && isUnstable(row) && <Unstable cvPercent={row.cv_percent} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function OfOneSize({ job, row, isTable }: { job: BenchmarkJob; row: MeasurementView; isTable: boolean }) {
  const place = { algorithm: row.algorithm, sizeBytes: row.size_bytes, inPlace: row.in_place };
  const curve = useQuery(latenciesQuery(job.id, job.attempts.at(-1)?.number ?? 1, place));
  return (
    <figure className={`card-body ${classes.below}`} aria-busy={curve.isFetching}>
      <h3>The iterations at {formatSize(row.size_bytes)}</h3>
      <Loaded query={curve} what="The iterations could not be loaded" rows={9} isBare>
        {(found) =>
          found.count === 0 ? (
            <p className="dim">No iteration of this row is stored.</p>
          ) : (
            <>
              {isTable ? <CurveTable curve={found} /> : <PercentileChart curve={found} colour={colourToken(row.algorithm)} />}
              <figcaption className="dim">{curveWords(found)}</figcaption>
            </>
          )
        }
      </Loaded>
    </figure>
  );
}

function curveWords({ count, ranks, points }: LatencyCurve): string {
  const at = (share: number): string => {
    const point = points.find((found) => found.share === share);
    return point ? `${shareText(share)} took at most ${threeDigits(point.time_us)} µs, ` : "";
  };
  const slowest = points.at(-1)?.time_us ?? 0;
  return (
    `n=${formatCount(count)} iterations of ${plural(ranks, "rank")}, the slowest rank of each: ` +
    `${at(0.5)}${at(0.99)}${at(0.999)}the slowest ${threeDigits(slowest)} µs. The axis gives 90 %, 99 % and 99.9 % the same width.`
  );
}

function CurveTable({ curve }: { curve: LatencyCurve }) {
  return (
    <ScrollX label="Iterations of this size" isTall>
      <table>
        <caption className="hidden-visually">Time in µs by share of the iterations</caption>
        <thead>
          <tr>
            <th scope="col" className="number">Share</th>
            <th scope="col" className="number">at most (µs)</th>
          </tr>
        </thead>
        <tbody>
          {curve.points.map((point) => (
            <tr key={point.share}>
              <th scope="row" className="number">{shareText(point.share)}</th>
              <td className="number">{threeDigits(point.time_us)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
