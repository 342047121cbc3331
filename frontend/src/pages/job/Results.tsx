/** The sweep as a chart, as a comparison by size, and as nccl-tests' table. */
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { JobView, MeasurementView } from "../../api/types";
import { alignRows, METRIC_NAMES, METRIC_UNITS, type Place, type Sweep } from "../../charts/series";
import { SweepChart } from "../../charts/SweepChart";
import { CopyButton } from "../../components/CopyButton";
import { Segments } from "../../components/Segments";
import { toCsv } from "../../lib/csv";
import { plural } from "../../lib/format";
import type { JobSearch, Metric } from "../../lib/search";
import { sweepSizes } from "../../lib/size";
import { ComparisonTable } from "./ComparisonTable";
import { Legend } from "./Legend";
import classes from "./Results.module.css";
import { SweepTable } from "./SweepTable";

const route = getRouteApi("/jobs/$jobId");
const CSV_COLUMNS: (keyof MeasurementView)[] = [
  "algorithm", "transport", "in_place", "size_bytes", "count", "dtype", "op", "ranks", "iterations", "time_us",
  "algbw_gb_per_s", "busbw_gb_per_s", "wrong", "min_us", "p50_us", "p99_us", "max_us", "measured_at",
];

interface Props {
  job: JobView;
  rows: readonly MeasurementView[];
}

export function Results({ job, rows }: Props) {
  const { benchmark } = job.spec;
  const search = route.useSearch();
  const metric: Metric = search.metric ?? "busbw";
  const place: Place = search.place ?? "out";
  const [hovered, setHovered] = useState<number | null>(null);
  const sweep = useMemo(() => alignRows(rows, benchmark.algorithms, place), [rows, benchmark.algorithms, place]);
  const sizes = useMemo(
    () => sweepSizes(benchmark.min_bytes, benchmark.max_bytes, benchmark.step_factor),
    [benchmark.min_bytes, benchmark.max_bytes, benchmark.step_factor],
  );
  const isTable = search.view === "table";
  return (
    <section className={`card ${classes.results}`} aria-labelledby="results">
      <div className="card-head">
        <h2 id="results">{METRIC_NAMES[metric]} by message size</h2>
        <Controls search={search} csv={() => toCsv(rows, CSV_COLUMNS)} />
      </div>
      <figure className="card-body">
        <Legend sweep={sweep} metric={metric} hovered={hovered} />
        {isTable ? (
          <ComparisonTable sweep={sweep} metric={metric} />
        ) : (
          <SweepChart sweep={sweep} metric={metric} sizes={sizes} hovered={hovered} onHover={setHovered} />
        )}
        <figcaption className="dim">{caption(job, sweep, metric, sizes.length)}</figcaption>
      </figure>
      <SweepTable
        rows={rows}
        algorithms={benchmark.algorithms}
        chosen={search.algorithm}
        hovered={hovered}
        onHover={setHovered}
      />
    </section>
  );
}

function caption(job: JobView, sweep: Sweep, metric: Metric, sizeCount: number): string {
  const { iterations, dtype } = job.spec.benchmark;
  const zero = sweep.sizes.includes(0) ? " Size 0 is in the tables only: a logarithmic axis has no place for it." : "";
  const mean = `mean of ${plural(iterations, "timed iteration")} over all ranks`;
  return (
    `${METRIC_NAMES[metric]} in ${METRIC_UNITS[metric]} of an all-reduce of ${dtype} over ` +
    `${plural(job.spec.placement.ranks, "rank")}, ${sweep.sizes.length} of ${plural(sizeCount, "size")} measured; each ` +
    `point is the ${mean}.${zero}`
  );
}

function Controls({ search, csv }: { search: JobSearch; csv: () => string }) {
  const navigate = route.useNavigate();
  const set = (change: Partial<Record<keyof JobSearch, string | undefined>>): void =>
    void navigate({ search: (old) => ({ ...old, ...change }) as JobSearch, replace: true, resetScroll: false });
  return (
    <div className={classes.controls}>
      <Segments
        label="Quantity"
        value={search.metric ?? "busbw"}
        options={[["busbw", "busbw"], ["algbw", "algbw"], ["time", "time"]]}
        onChange={(metric) => set({ metric: metric === "busbw" ? undefined : metric })}
      />
      <Segments
        label="Buffers"
        value={search.place ?? "out"}
        options={[["out", "out of place"], ["in", "in place"], ["both", "both"]]}
        onChange={(place) => set({ place: place === "out" ? undefined : place })}
      />
      <Segments
        label="View"
        value={search.view ?? "chart"}
        options={[["chart", "chart"], ["table", "table"]]}
        onChange={(view) => set({ view: view === "chart" ? undefined : view })}
      />
      <CopyButton text={csv} label="Copy CSV" />
    </div>
  );
}
