/** The sweep as a chart, as a comparison by size, and as nccl-tests' table. */
import { Suspense, useMemo, useState } from "react";
import { NativeSelect } from "@mantine/core";
import { lazyPart } from "../../../components/lazyPart";
import type { BenchmarkJob, MeasurementView } from "../../../api/types";
import { isCut, isWide, sizeRange } from "../../../lib/sweep/axes";
import { alignRows, areAllUnstable, METRIC_NAMES, METRIC_UNITS, type Buffers, type Shown, sweepLines } from "../../../lib/sweep/series";
import { SizeChart } from "../../../charts/SizeChart";
import { Popover } from "../../../components/controls/Popover";
import { QueryError } from "../../../components/states/QueryError";
import { Caption } from "../../../components/marks/Caption";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import { Skeleton } from "../../../components/states/Skeleton";
import { useCollective } from "../../../components/hooks/useCollective";
import { caption, definitions } from "../../../lib/sweep/caption";
import { caveats, unstableWords } from "../../../lib/sweep/caveats";
import { baseWords, distanceWords, elsewhereWords, limitRule, referenceLines, referenceWords } from "../../../lib/sweep/references";
import type { Metric } from "../../../lib/search/search";
import { stepOf, sweepSizes } from "../../../lib/size";
import { isImported, isSimulated } from "../../../lib/state";
import { Legend } from "./Legend";
import classes from "./Results.module.css";
import { StepFiles } from "./StepFiles";
import { SweepTable } from "./SweepTable";
import type { OptionsProps } from "./ChartOptions";
import { useBeside } from "./useBeside";
import { useSizeRange } from "../useSizeRange";
import { useView } from "../useView";

// Neither is in sight when the page opens.
const ChartOptions = lazyPart(async () => (await import("./ChartOptions")).ChartOptions);
const ComparisonTable = lazyPart(async () => (await import("./ComparisonTable")).ComparisonTable);

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
  const areUnstable = areAllUnstable(measured);
  const lines = useMemo(
    () => [...references, ...(areUnstable ? measured.map((line) => ({ ...line, unstable: [] })) : measured)],
    [references, measured, areUnstable],
  );
  const isTable = search.view === "table";
  const isLog = metric === "time" || (search.y ?? (isWide(range) ? "log" : "linear")) === "log";
  const chosen = search.size === undefined ? null : Number(search.size);
  const toggle = (algorithm: string): void => {
    const next = new Set(hidden).add(algorithm);
    if (hidden.has(algorithm)) next.delete(algorithm);
    set({ hide: [...next].filter(Boolean).join(",") || undefined });
  };
  const canBrush = job.state === "succeeded" && benchmark.algorithms.length > 1 && sweep.sizes.length > 1;
  const part = useSizeRange();
  const brush = (min: number, max: number): void =>
    set({ min_bytes: min > range[0] ? String(min) : undefined, max_bytes: max < range[1] ? String(max) : undefined });
  const choose = (sizeBytes: number): void => set({ size: chosen === sizeBytes ? undefined : String(sizeBytes) });
  return (
    <section className={`card ${classes.results}`} aria-labelledby="results">
      <div className="card-head">
        <h2 id="results">{METRIC_NAMES[metric]} by message size</h2>
        <Controls search={search} set={set} beside={beside} isLog={isLog} sizes={canBrush ? sweep.sizes : []} />
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
          best={job.summary.best}
          onToggle={toggle}
        />
        {isTable ? (
          <Suspense fallback={<Skeleton rows={10} isBare />}>
            <ComparisonTable sweep={sweep} references={references} shown={shown} winners={job.summary.winners} />
          </Suspense>
        ) : (
          <SizeChart
            lines={lines}
            yLabel={`${METRIC_NAMES[metric]} (${METRIC_UNITS[metric]})`}
            isLog={isLog}
            range={range}
            rule={limitRule(prediction, metric, measured)}
            hovered={hovered}
            onHover={setHovered}
            chosen={chosen}
            onChoose={choose}
            brushed={canBrush && part ? [part.min_bytes ?? range[0], part.max_bytes ?? range[1]] : null}
            onBrush={canBrush ? brush : undefined}
          />
        )}
        <Caption
          more={
            <>
              {definitions(job, metric, statistic)} {areUnstable && `${unstableWords()} `}
              {caveats(job).map(({ word, why }) => `${word}: ${why} `)}
              {referenceWords(prediction, beside.shown, statistic, !isTable && isCut(lines, isLog))}
            </>
          }
        >
          {isSimulated(job, rows) && (
            <>
              <SimulatedBadge /> Times of the cost model on a virtual clock; nothing was measured.{" "}
            </>
          )}
          {caption(job, rows, metric, statistic, engine?.reduces ?? false, engine?.has_root ?? false)}
          {beside.shown === "model" && `${elsewhereWords(references)}${distanceWords(references, measured)}`}
          {beside.shown === "base" && baseWords(compared, shown, place === "in")}
          {areUnstable && " All values are unstable."}
          {isTable && statistic === "mean" && " Bold: clearly the fastest there, by medians of rounds."}
          {sweep.sizes.includes(0) && " Size 0 is in the tables only."}
        </Caption>
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
      {!isImported(job) && <StepFiles jobId={job.id} />}
    </section>
  );
}

/** The quantity in sight, all other choices in a panel. */
function Controls({ search, set, beside, isLog, sizes }: OptionsProps) {
  const share = beside.prediction.data?.limit ? [{ value: "limit", label: "% of limit" }] : [];
  return (
    <div className={classes.controls}>
      <NativeSelect
        aria-label="Quantity"
        value={search.metric ?? "busbw"}
        data={["busbw", "algbw", "time", ...share]}
        onChange={({ currentTarget: { value } }) => set({ metric: value === "busbw" ? undefined : (value as Exclude<Metric, "busbw">) })}
      />
      <Popover label="Options">
        <Suspense>
          <ChartOptions search={search} set={set} beside={beside} isLog={isLog} sizes={sizes} />
        </Suspense>
      </Popover>
    </div>
  );
}
