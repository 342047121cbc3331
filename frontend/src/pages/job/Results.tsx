/** The sweep as a chart, as a comparison by size, and as nccl-tests' table. */
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { JobView, MeasurementView } from "../../api/types";
import { sizeRange } from "../../charts/axes";
import { alignRows, METRIC_NAMES, type Place } from "../../charts/series";
import { SweepChart } from "../../charts/SweepChart";
import { CopyButton } from "../../components/CopyButton";
import { Segments } from "../../components/Segments";
import { SimulatedBadge } from "../../components/SimulatedBadge";
import { useCollective } from "../../components/useCollective";
import { caption } from "../../lib/caption";
import { toCsv } from "../../lib/csv";
import type { JobSearch, Metric } from "../../lib/search";
import { stepOf, sweepSizes } from "../../lib/size";
import { isSimulated } from "../../lib/state";
import { ComparisonTable } from "./ComparisonTable";
import { Legend } from "./Legend";
import classes from "./Results.module.css";
import { SweepTable } from "./SweepTable";

const route = getRouteApi("/jobs/$jobId");
const CSV_COLUMNS: (keyof MeasurementView)[] = [
  "collective", "algorithm", "chosen_algorithm", "chosen_because", "transport", "in_place", "cycle", "size_bytes",
  "count", "dtype", "op", "ranks", "iterations", "time_us", "algbw_gb_per_s", "busbw_gb_per_s", "wrong", "min_us",
  "mean_us", "p50_us", "p95_us", "p99_us", "max_us", "stdev_us", "cv_percent", "measured_at",
];

interface Props {
  job: JobView;
  rows: readonly MeasurementView[];
}

export function Results({ job, rows }: Props) {
  const { benchmark } = job.spec;
  const engine = useCollective(benchmark.collective);
  const search = route.useSearch();
  const metric: Metric = search.metric ?? "busbw";
  const place: Place = search.place ?? "out";
  const [hovered, setHovered] = useState<number | null>(null);
  const sweep = useMemo(() => alignRows(rows, benchmark.algorithms, place), [rows, benchmark.algorithms, place]);
  const range = useMemo(() => {
    const planned = sweepSizes(benchmark.min_bytes, benchmark.max_bytes, stepOf(benchmark));
    // A size in whole parts for each rank may be smaller than any planned.
    return sizeRange([...planned, ...sweep.sizes]);
  }, [benchmark, sweep.sizes]);
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
          <SweepChart sweep={sweep} metric={metric} range={range} hovered={hovered} onHover={setHovered} />
        )}
        <figcaption className="dim">
          {isSimulated(job, rows) && (
            <>
              <SimulatedBadge /> Times of the cost model on a virtual clock; nothing was measured.{" "}
            </>
          )}
          {caption(job, metric, engine?.reduces ?? false, engine?.has_root ?? false)}
          {sweep.sizes.includes(0) && " Size 0 is in the tables only: a logarithmic axis has no place for it."}
        </figcaption>
      </figure>
      <SweepTable
        job={job}
        rows={rows}
        isCheckedInPlace={engine?.checked_in_place ?? true}
        chosen={search.algorithm}
        hovered={hovered}
        onHover={setHovered}
      />
    </section>
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
