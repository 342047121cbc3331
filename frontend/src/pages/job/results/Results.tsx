/** The sweep as a chart, as a comparison by size, and as nccl-tests' table. */
import { useMemo, useState } from "react";
import type { BenchmarkJob, MeasurementView } from "../../../api/types";
import { largest, readableMax, sizeRange } from "../../../lib/sweep/axes";
import { alignRows, METRIC_NAMES, METRIC_UNITS, type Buffers, type Shown, sweepLines } from "../../../lib/sweep/series";
import { SizeChart } from "../../../charts/SizeChart";
import { CopyButton } from "../../../components/controls/CopyButton";
import { QueryError } from "../../../components/states/QueryError";
import { Segments } from "../../../components/controls/Segments";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import { SpreadSwitch } from "../../../components/controls/SpreadSwitch";
import { useCollective } from "../../../components/hooks/useCollective";
import { caption } from "../../../lib/sweep/caption";
import { basisOf, caveats } from "../../../lib/sweep/caveats";
import { allColumns, toCsv } from "../../../lib/csv";
import { baseWords, limitRule, referenceLines, referenceWords } from "../../../lib/sweep/references";
import type { JobSearch, Metric } from "../../../lib/search/search";
import { stepOf, sweepSizes } from "../../../lib/size";
import { isSimulated } from "../../../lib/state";
import { ComparisonTable } from "./ComparisonTable";
import { Legend } from "./Legend";
import classes from "./Results.module.css";
import { StepFiles } from "./StepFiles";
import { SweepTable } from "./SweepTable";
import { type BesideMeasured, useBeside } from "./useBeside";
import { useView } from "../useView";

const CSV_COLUMNS = allColumns<Omit<MeasurementView, "id">>()([
  "collective", "algorithm", "chosen_algorithm", "chosen_because", "transport", "in_place", "cycle", "size_bytes",
  "count", "dtype", "op", "ranks", "cores", "channels", "iterations", "time_us", "time_low_us", "time_high_us", "algbw_gb_per_s", "busbw_gb_per_s", "wrong", "min_us",
  "mean_us", "p5_us", "p10_us", "p50_us", "p90_us", "p95_us", "p99_us", "max_us", "stdev_us", "cv_percent", "measured_at",
]);

interface Props {
  job: BenchmarkJob;
  rows: readonly MeasurementView[];
}

export function Results({ job, rows }: Props) {
  const { benchmark } = job.spec;
  const engine = useCollective(benchmark.collective);
  const [search, set] = useView();
  const beside = useBeside(job);
  const [prediction, compared] = [beside.prediction.data, beside.compared.data];
  const limit = prediction?.limit?.busbw_gb_per_s;
  const metric: Metric = search.metric === "limit" && !limit ? "busbw" : (search.metric ?? "busbw");
  const place: Buffers = search.place ?? "out";
  const [hovered, setHovered] = useState<number | null>(null);
  const sweep = useMemo(() => alignRows(rows, benchmark.algorithms, place), [rows, benchmark.algorithms, place]);
  const range = useMemo(() => {
    const planned = sweepSizes(benchmark.min_bytes, benchmark.max_bytes, stepOf(benchmark));
    // A size rounded to whole parts for each rank may be smaller than any planned one.
    return sizeRange([...planned, ...sweep.sizes]);
  }, [benchmark, sweep.sizes]);
  const statistic = search.stat ?? "mean";
  const shown: Shown = useMemo(() => ({ metric, statistic, limit }), [metric, statistic, limit]);
  const hidden = useMemo(() => new Set((search.hide ?? "").split(",")), [search.hide]);
  const measured = useMemo(() => {
    const series = sweep.series.filter(({ algorithm }) => !hidden.has(algorithm));
    return sweepLines({ ...sweep, series }, shown, search.band !== "off");
  }, [sweep, shown, hidden, search.band]);
  const references = useMemo(() => {
    const all = referenceLines(prediction, beside.shown, shown, place === "in", compared);
    return all.filter(({ name }) => !hidden.has(name.split(", ")[0] ?? ""));
  }, [prediction, beside.shown, shown, place, compared, hidden]);
  const lines = useMemo(() => [...references, ...measured], [references, measured]);
  const isCut = readableMax(largest(measured), largest(references)) !== largest(references);
  const isTable = search.view === "table";
  const chosen = search.size === undefined ? null : Number(search.size);
  const toggle = (algorithm: string): void => {
    const next = new Set(hidden).add(algorithm);
    if (hidden.has(algorithm)) next.delete(algorithm);
    set({ hide: [...next].filter(Boolean).join(",") || undefined });
  };
  const choose = (sizeBytes: number): void => set({ size: chosen === sizeBytes ? undefined : String(sizeBytes) });
  return (
    <section className={`card ${classes.results}`} aria-labelledby="results">
      <div className="card-head">
        <h2 id="results">{METRIC_NAMES[metric]} by message size</h2>
        <Controls search={search} set={set} beside={beside} csv={() => toCsv(rows, CSV_COLUMNS, ({ transport }) => basisOf(job, transport))} />
      </div>
      <QueryError what="The prediction and the baseline could not be loaded" query={beside.prediction} />
      <QueryError what="The comparison with the base job could not be loaded" query={beside.compared} />
      <figure className="card-body">
        <Legend
          sweep={sweep}
          references={references}
          shown={shown}
          hovered={hovered ?? chosen}
          hidden={hidden}
          onToggle={toggle}
        />
        {isTable ? (
          <ComparisonTable sweep={sweep} references={references} shown={shown} winners={job.summary.winners} />
        ) : (
          <SizeChart
            lines={lines}
            yLabel={`${METRIC_NAMES[metric]} (${METRIC_UNITS[metric]})`}
            isLog={metric === "time" || search.y === "log"}
            range={range}
            rule={limitRule(prediction, metric, measured)}
            hovered={hovered}
            onHover={setHovered}
            chosen={chosen}
            onChoose={choose}
          />
        )}
        <figcaption className="dim">
          {isSimulated(job, rows) && (
            <>
              <SimulatedBadge /> Times of the cost model on a virtual clock; nothing was measured.{" "}
            </>
          )}
          {caveats(job).map(({ word, why }) => `${word}: ${why} `)}
          {caption(job, rows, metric, statistic, engine?.reduces ?? false, engine?.has_root ?? false)}
          {referenceWords(prediction, beside.shown, statistic, !isTable && metric !== "time" && isCut)}
          {beside.shown === "base" && baseWords(compared, shown, place === "in")}
          {isTable && statistic === "mean" && " Bold: clearly the fastest there, by the verdict\u2019s rule."}
          {sweep.sizes.includes(0) && " Size 0 is in the tables only."}
        </figcaption>
      </figure>
      <SweepTable
        job={job}
        rows={rows}
        isCheckedInPlace={engine?.checked_in_place ?? true}
        chosen={search.algorithm}
        chosenSize={chosen}
        onChoose={choose}
        hovered={hovered}
        onHover={setHovered}
      />
      <StepFiles jobId={job.id} />
    </section>
  );
}

interface ControlsProps {
  search: JobSearch;
  set: ReturnType<typeof useView>[1];
  beside: BesideMeasured;
  csv: () => string;
}

function Controls({ search, set, beside, csv }: ControlsProps) {
  const share = beside.prediction.data?.limit ? ([["limit", "% of limit"]] as const) : [];
  return (
    <div className={`${classes.controls} ${classes.ownRow}`}>
      <Segments
        label="Quantity"
        value={search.metric ?? "busbw"}
        options={[["busbw", "busbw"], ["algbw", "algbw"], ["time", "time"], ...share]}
        onChange={(metric) => set({ metric: metric === "busbw" ? undefined : metric })}
      />
      <Segments
        label="Of the iterations"
        value={search.stat ?? "mean"}
        options={[["mean", "mean"], ["median", "median"]]}
        onChange={(stat) => set({ stat: stat === "mean" ? undefined : stat })}
      />
      <Segments
        label="Buffers"
        value={search.place ?? "out"}
        options={[["out", "out of place"], ["in", "in place"], ["both", "both"]]}
        onChange={(place) => set({ place: place === "out" ? undefined : place })}
      />
      {beside.choices.length > 0 && (
        <Segments
          label="Beside the measured"
          value={beside.shown}
          options={beside.choices}
          onChange={beside.choose}
        />
      )}
      <Segments
        label="View"
        value={search.view ?? "chart"}
        options={[["chart", "chart"], ["table", "table"]]}
        onChange={(view) => set({ view: view === "chart" ? undefined : view })}
      />
      {search.view !== "table" && (
        <>
          <SpreadSwitch band={search.band} onChange={(band) => set({ band })} />
          {search.metric !== "time" && (
            <Segments
              label="Vertical axis"
              value={search.y ?? "linear"}
              options={[["linear", "linear"], ["log", "log"]]}
              onChange={(y) => set({ y: y === "linear" ? undefined : y })}
            />
          )}
        </>
      )}
      <CopyButton text={csv} label="Copy CSV" />
    </div>
  );
}
