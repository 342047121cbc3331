/** A comparison of benchmarks: one chart, a table by size that marks noise, and the differences of their specifications. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { comparisonQuery } from "../../data/comparison";
import type { Comparison, JobView } from "../../api/types";
import { sizeRange } from "../../lib/sweep/axes";
import { SizeChart } from "../../charts/SizeChart";
import { LineSwatch } from "../../components/marks/LineSwatch";
import { QueryError } from "../../components/states/QueryError";
import { Segments } from "../../components/controls/Segments";
import { Skeleton } from "../../components/states/Skeleton";
import { Caption } from "../../components/marks/Caption";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { SpreadSwitch } from "./SpreadSwitch";
import { lineOf } from "../../lib/sweep/compare";
import { FASTEST, rowsOf, sumWords } from "../../lib/sweep/comparedRows";
import { algorithmsOf, comparedLines, type Scale, sizesOf } from "./compareSweeps";
import { chosenIds } from "../../lib/search/search";
import { isSimulated, jobWord } from "../../lib/state";
import { AlgorithmChoice } from "./AlgorithmChoice";
import { Choice, CompareControls, useCompareSearch } from "./CompareControls";
import classes from "./ComparePage.module.css";
import { Differences } from "./Differences";
import { SameComparison } from "./SameComparison";
import { SizeTable } from "./SizeTable";

export function SweepComparison({ jobs }: { jobs: readonly JobView[] }) {
  const [search, set] = useCompareSearch();
  const ids = jobs.map((job) => job.id);
  const base = ids.find((id) => String(id) === search.base) ?? ids[0] ?? 0;
  const done = jobs.reduce((sum, job) => sum + job.progress.done, 0);
  const query = useQuery(comparisonQuery(ids, base, done));
  const algorithms = query.data ? algorithmsOf(query.data) : [FASTEST];
  const algorithm = algorithms.find((name) => name === search.algorithm) ?? FASTEST;
  const inPlace = search.place === "in";
  const scale: Scale = search.scale ?? "busbw";
  return (
    <>
      <CompareControls jobs={jobs} base={base}>
        <Choice label="Algorithm">
          <AlgorithmChoice algorithms={algorithms} value={algorithm} onChange={(name) => set({ algorithm: name === FASTEST ? undefined : name })} />
        </Choice>
        <Segments
          label="Buffers"
          value={inPlace ? "in" : "out"}
          options={[["out", "out of place"], ["in", "in place"]]}
          onChange={(place) => set({ place: place === "in" ? place : undefined })}
        />
        <Segments
          label="Scale"
          value={scale}
          options={[["busbw", "busbw"], ["ratio", `× job ${base}`]]}
          onChange={(next) => set({ scale: next === "ratio" ? next : undefined })}
        />
        <Segments
          label="Vertical axis"
          value={search.y ?? "linear"}
          options={[["linear", "linear"], ["log", "log"]]}
          onChange={(y) => set({ y: y === "log" ? y : undefined })}
        />
        <SpreadSwitch band={search.band} onChange={(band) => set({ band })} />
      </CompareControls>
      <QueryError what="The comparison could not be loaded" query={query} />
      {query.isPending && <Skeleton rows={20} />}
      {query.data && <Obstacles found={query.data} />}
      {query.data && <Rows jobs={jobs} found={query.data} algorithm={algorithm} inPlace={inPlace} scale={scale} />}
      <Differences jobs={jobs} />
      <SameComparison ids={ids} base={base} />
    </>
  );
}

/** The jobs that do not measure the same thing as the base job. */
function Obstacles({ found: { jobs, base } }: { found: Comparison }) {
  const flagged = jobs.filter((job) => job.obstacles.length > 0);
  if (flagged.length === 0) return null;
  return (
    <section className={`card card-body ${classes.obstacles}`} aria-label="Not comparable">
      {flagged.map((job) => (
        <p key={job.job_id}>
          <strong>
            <span aria-hidden="true">⚠ </span>Job {job.job_id} and job {base} do not measure the same thing:
          </strong>{" "}
          {job.obstacles.join(" ")}
        </p>
      ))}
    </section>
  );
}

interface RowsProps {
  jobs: readonly JobView[];
  found: Comparison;
  algorithm: string;
  inPlace: boolean;
  scale: Scale;
}

function Rows({ jobs, found, algorithm, inPlace, scale }: RowsProps) {
  const [search, set] = useCompareSearch();
  const [hovered, setHovered] = useState<number | null>(null);
  const hidden = useMemo(() => new Set(chosenIds(search.hide)), [search.hide]);
  const hasBands = search.band !== "off";
  const lines = useMemo(() => {
    const words = new Map(jobs.map((job) => [job.id, jobWord(job)]));
    const lines = comparedLines(found, words, { algorithm, inPlace, scale, hasBands });
    return lines.filter((_, i) => !hidden.has(found.jobs[i]?.job_id ?? 0));
  }, [jobs, found, algorithm, inPlace, scale, hasBands, hidden]);
  const toggle = (id: number): void => {
    const next = new Set(hidden).add(id);
    if (hidden.has(id)) next.delete(id);
    set({ hide: [...next].join(",") || undefined });
  };
  const sizes = useMemo(() => sizesOf(found, algorithm, inPlace), [found, algorithm, inPlace]);
  const range = useMemo(() => sizeRange(sizes), [sizes]);
  const missing = found.jobs.filter((job) => rowsOf(job, algorithm, inPlace).length === 0);
  return (
    <section className={`card ${classes.rows}`} aria-labelledby="rows">
      <div className="card-head">
        <h2 id="rows">{scale === "ratio" ? `Speed as a multiple of job ${found.base}` : "Bus bandwidth by message size"}</h2>
        {jobs.some((job) => isSimulated(job)) && <SimulatedBadge />}
      </div>
      <figure className="card-body">
        {jobs.length > 1 && <Legend jobs={jobs} hidden={hidden} onToggle={toggle} />}
        <SizeChart
          lines={lines}
          yLabel={scale === "ratio" ? `times job ${found.base}` : "Bus bandwidth (GB/s)"}
          isLog={search.y === "log"}
          range={range}
          hovered={hovered}
          onHover={setHovered}
        />
        <Caption
          more={
            <>
              A point of several cycles is the mean of the cycles. More is faster.
              {hasBands && " The band is the slowest rank\u2019s p5 to p95."}
            </>
          }
        >
          {algorithm === FASTEST ? "The fastest algorithm of each job at each size" : algorithm}, {inPlace ? "in place" : "out of place"}; each
          point is the mean of the timed iterations.
          {missing.length > 0 && ` No such row: job ${missing.map((job) => job.job_id).join(", ")}.`}
        </Caption>
        {found.jobs
          .filter((job) => job.job_id !== found.base)
          .map((job) => (
            <p key={job.job_id} className={classes.sum}>
              Job {job.job_id}: {sumWords(rowsOf(job, algorithm, inPlace))}
            </p>
          ))}
      </figure>
      <SizeTable jobs={jobs} found={found} algorithm={algorithm} inPlace={inPlace} sizes={sizes} hasBands={hasBands} hovered={hovered} onHover={setHovered} />
    </section>
  );
}

interface LegendProps {
  jobs: readonly JobView[];
  hidden: ReadonlySet<number>;
  onToggle: (id: number) => void;
}

/** The legend; a click hides a line. */
function Legend({ jobs, hidden, onToggle }: LegendProps) {
  const ids = jobs.map((job) => job.id);
  return (
    <div className={classes.legend}>
      {jobs.map((job) => (
        <button
          key={job.id}
          type="button"
          className={classes.toggle}
          aria-pressed={!hidden.has(job.id)}
          title={hidden.has(job.id) ? "Show it in the chart" : "Leave it out of the chart"}
          onClick={() => onToggle(job.id)}
        >
          <LineSwatch line={lineOf(job.id, ids)} /> {jobWord(job)}
        </button>
      ))}
    </div>
  );
}
