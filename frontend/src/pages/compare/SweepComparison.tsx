/** A comparison of benchmarks: the answer, one chart, a table by size, and the differences of their specifications. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { comparisonQuery } from "../../data/comparison";
import type { ComparedJob, Comparison, JobView } from "../../api/types";
import { isWide, sizeRange } from "../../lib/sweep/axes";
import { SizeChart } from "../../charts/SizeChart";
import { LineSwatch } from "../../components/marks/LineSwatch";
import { Option } from "../../components/controls/Option";
import { Popover } from "../../components/controls/Popover";
import { useRole } from "../../components/hooks/useRole";
import { QueryError } from "../../components/states/QueryError";
import { Segments } from "../../components/controls/Segments";
import { Skeleton } from "../../components/states/Skeleton";
import { Caption } from "../../components/marks/Caption";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { SpreadSwitch } from "../../components/controls/SpreadSwitch";
import { baseOf, lineOf } from "../../lib/sweep/compare";
import { answerWords, areMedians, FASTEST, rowsOf } from "../../lib/sweep/comparedRows";
import { areAllUnstable } from "../../lib/sweep/series";
import { algorithmsOf, comparedLines, type Scale, shownRows, sizesOf } from "./compareSweeps";
import { formatSize } from "../../lib/size";
import { chosenIds } from "../../lib/search/search";
import { isSimulated, jobWord } from "../../lib/state";
import { AlgorithmChoice } from "./AlgorithmChoice";
import { CompareControls, useCompareSearch } from "./CompareControls";
import classes from "./ComparePage.module.css";
import { Differences } from "./Differences";
import { SizeTable } from "./SizeTable";

export function SweepComparison({ jobs }: { jobs: readonly JobView[] }) {
  const [search, set] = useCompareSearch();
  const ids = jobs.map((job) => job.id);
  const base = baseOf(ids, search.base);
  const done = jobs.reduce((sum, job) => sum + job.progress.done, 0);
  const query = useQuery(comparisonQuery(ids, base, done));
  const algorithms = query.data ? algorithmsOf(query.data) : [FASTEST];
  const algorithm = algorithms.find((name) => name === search.algorithm) ?? FASTEST;
  const inPlace = search.place === "in";
  return (
    <>
      <CompareControls jobs={jobs} base={base} part="sizes" answer={<Answer found={query.data} algorithm={algorithm} inPlace={inPlace} />}>
        <Option label="Algorithm">
          <AlgorithmChoice algorithms={algorithms} value={algorithm} onChange={(name) => set({ algorithm: name === FASTEST ? undefined : name })} />
        </Option>
      </CompareControls>
      <QueryError what="The comparison could not be loaded" query={query} />
      {query.isPending && <Skeleton rows={20} />}
      {query.data && <Rows jobs={jobs} found={query.data} algorithm={algorithm} inPlace={inPlace} />}
      <Differences jobs={jobs} />
    </>
  );
}

interface AnswerProps {
  /** undefined: it is loading. */
  found: Comparison | undefined;
  algorithm: string;
  inPlace: boolean;
}

/** Which job is faster, over which sizes and by how much; and why that may not count. */
function Answer({ found, algorithm, inPlace }: AnswerProps) {
  const others = found?.jobs.filter((job) => job.job_id !== found.base) ?? [];
  return (
    <div className={classes.answer} role="status">
      {others.map((job) => (
        <div key={job.job_id}>
          <Found job={job} base={found?.base ?? 0} algorithm={algorithm} inPlace={inPlace} />
          {job.obstacles.length > 0 && (
            <p className={classes.obstacles}>
              <span aria-hidden="true">⚠ </span>Job {job.job_id} and job {found?.base} do not measure the same thing: {job.obstacles.join(" ")}
            </p>
          )}
          {job.caveats.length > 0 && (
            <p className={classes.obstacles}>
              <span aria-hidden="true">⚠ </span>
              {job.caveats.join(" ").replace("This job", `Job ${job.job_id}`).replace("The base job", `Job ${found?.base}`)}
            </p>
          )}
        </div>
      ))}
    </div>
  );
}

interface FoundProps {
  job: ComparedJob;
  base: number;
  algorithm: string;
  inPlace: boolean;
}

/** The difference at common sizes; without any, that between the measured sizes and how to measure common ones. */
function Found({ job, base, algorithm, inPlace }: FoundProps) {
  const { mayChange } = useRole();
  const instead = job.interpolated.find((one) => one.algorithm === algorithm && one.in_place === inPlace);
  const rows = rowsOf(job, algorithm, inPlace);
  if (!instead) {
    return (
      <p>
        {answerWords(rows, `Job ${job.job_id}`, `job ${base}`)}{" "}
        {rows.some((row) => row.against) && <span className={classes.basis}>{areMedians(rows) ? "Medians of rounds decide." : "Means decide."}</span>}
      </p>
    );
  }
  const sizes = { min: formatSize(instead.base_min_bytes, true), max: formatSize(instead.base_max_bytes, true) };
  return (
    <p>
      {instead.sentence}{" "}
      {mayChange && (
        <Link to="/jobs/new" search={{ from: String(job.job_id), ...sizes }}>
          Measure job {job.job_id} again at the sizes of job {base}
        </Link>
      )}
    </p>
  );
}

interface RowsProps {
  jobs: readonly JobView[];
  found: Comparison;
  algorithm: string;
  inPlace: boolean;
}

function Rows({ jobs, found, algorithm, inPlace }: RowsProps) {
  const [search, set] = useCompareSearch();
  const [hovered, setHovered] = useState<number | null>(null);
  const hidden = useMemo(() => new Set(chosenIds(search.hide)), [search.hide]);
  const hasBands = search.band !== "off";
  const scale: Scale = search.scale ?? "busbw";
  const lines = useMemo(() => {
    const words = new Map(jobs.map((job) => [job.id, jobWord(job)]));
    const lines = comparedLines(found, words, { algorithm, inPlace, scale, hasBands });
    return lines.filter((_, i) => !hidden.has(found.jobs[i]?.job_id ?? 0));
  }, [jobs, found, algorithm, inPlace, scale, hasBands, hidden]);
  const areUnstable = areAllUnstable(lines);
  const drawn = useMemo(() => (areUnstable ? lines.map((line) => ({ ...line, unstable: [] })) : lines), [lines, areUnstable]);
  const toggle = (id: number): void => {
    const next = new Set(hidden).add(id);
    if (hidden.has(id)) next.delete(id);
    set({ hide: [...next].join(",") || undefined });
  };
  const sizes = useMemo(() => sizesOf(found, algorithm, inPlace), [found, algorithm, inPlace]);
  const range = useMemo(() => sizeRange(sizes), [sizes]);
  const isLog = (search.y ?? (isWide(range) ? "log" : "linear")) === "log";
  const isMedian = areMedians(shownRows(found, algorithm, inPlace));
  const missing = found.jobs.filter((job) => rowsOf(job, algorithm, inPlace).length === 0);
  return (
    <section className={`card ${classes.rows}`} aria-labelledby="rows">
      <div className="card-head">
        <h2 id="rows">{scale === "ratio" ? `Speed as a multiple of job ${found.base}` : "Bus bandwidth by message size"}</h2>
        {jobs.some((job) => isSimulated(job)) && <SimulatedBadge />}
        <span className="spread">
          <Popover label="Options">
            <Option label="Buffers">
              <Segments
                label="Buffers"
                value={inPlace ? "in" : "out"}
                options={[["out", "out of place"], ["in", "in place"]]}
                onChange={(place) => set({ place: place === "in" ? place : undefined })}
              />
            </Option>
            <Option label="Scale">
              <Segments
                label="Scale"
                value={scale}
                options={[["busbw", "busbw"], ["ratio", `× job ${found.base}`]]}
                onChange={(next) => set({ scale: next === "ratio" ? next : undefined })}
              />
            </Option>
            <Option label="Vertical axis">
              <Segments
                label="Vertical axis"
                value={isLog ? "log" : "linear"}
                options={[["linear", "linear"], ["log", "log"]]}
                onChange={(y) => set({ y })}
              />
            </Option>
            <Option label="Spread">
              <SpreadSwitch band={search.band} onChange={(band) => set({ band })} />
            </Option>
          </Popover>
        </span>
      </div>
      <figure className="card-body">
        <Legend jobs={jobs} hidden={hidden} onToggle={toggle} />
        <SizeChart
          lines={drawn}
          yLabel={scale === "ratio" ? `times job ${found.base}` : "Bus bandwidth (GB/s)"}
          isLog={isLog}
          range={range}
          hovered={hovered}
          onHover={setHovered}
        />
        <Caption
          more={
            <>
              {isMedian ? "A job\u2019s own page shows means." : "A point of several cycles is the mean of the cycles."} More is faster.
              {hasBands && " The band is the slowest rank\u2019s p5 to p95."}
            </>
          }
        >
          {algorithm === FASTEST ? `The fastest algorithm of each job at each size${isMedian ? ", by its median" : ""}` : algorithm},{" "}
          {inPlace ? "in place" : "out of place"}; each point is the {isMedian ? "median of the rounds" : "mean of the timed iterations"}.
          {areUnstable && " All values are unstable."}
          {missing.length > 0 && ` No such row: job ${missing.map((job) => job.job_id).join(", ")}.`}
        </Caption>
      </figure>
      <SizeTable jobs={jobs} found={found} algorithm={algorithm} inPlace={inPlace} sizes={sizes} hovered={hovered} onHover={setHovered} />
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
