import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { planQuery } from "../../data/planning";
import { measurementsQuery } from "../../data/results";
import type { PriceCell, RegimeFigures } from "../../api/types";
import { PriceChart } from "./PriceChart";
import { Caption } from "../../components/marks/Caption";
import { Caveat } from "../../components/marks/Caveat";
import { CopyButton } from "../../components/controls/CopyButton";
import { QueryError } from "../../components/states/QueryError";
import { Segments } from "../../components/controls/Segments";
import { useShortcut } from "../../components/hooks/shortcuts";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { Swatch } from "../../components/marks/Swatch";
import { digits, formatSeconds } from "../../lib/amount";
import { SIMULATED, toCsv } from "../../lib/csv";
import { plural, threeDigits } from "../../lib/format";
import { curveSizes, growth, hiddenLines, mapShapes, mapSizes, measuredColumns, type PlanMetric, priceColumns, type PriceColumns } from "../../lib/planGrid";
import { type PlanForm, planQuestion, type PlanSearch } from "../../lib/form/planForm";
import { parseSize, sizeWriter } from "../../lib/size";
import classes from "./PlanPage.module.css";
import { PriceColumnsTable } from "./PriceColumnsTable";

interface Props {
  form: PlanForm;
  parameters: readonly RegimeFigures[];
  /** The job whose measured points are drawn over the model. */
  jobId: string | undefined;
  metric: PlanMetric;
  isTable: boolean;
  onChange: (change: Partial<Record<keyof PlanSearch, string | undefined>>) => void;
}

const UNITS: Record<PlanMetric, string> = { time: "µs", busbw: "GB/s" };

/** The prices over message size and over the number of ranks, with a job's measurements. */
export function PriceCharts({ form, parameters, jobId, metric, isTable, onChange }: Props) {
  const size = parseSize(form.S) ?? 1;
  const writeSize = sizeWriter(form.S);
  const question = planQuestion(form, parameters);
  const bySize = useQuery(planQuery({ ...question, sizes_bytes: curveSizes(size) }));
  const byRanks = useQuery(planQuery({ ...question, sizes_bytes: mapSizes(size), shapes: mapShapes(form.n) }));
  const rows = useQuery({ ...measurementsQuery(Number(jobId), 0), enabled: jobId !== undefined });
  const cells = useMemo(() => bySize.data?.cells ?? [], [bySize.data]);
  const ranks = cells[0]?.ranks ?? 0;
  const measured = useMemo(
    () => (jobId !== undefined && rows.data ? measuredColumns(rows.data, form.collective, form.algorithms.split(","), ranks, metric) : undefined),
    [jobId, rows.data, form.collective, form.algorithms, ranks, metric],
  );
  const ofSize = useMemo(() => (byRanks.data?.cells ?? []).filter((cell) => cell.size_bytes === size), [byRanks.data, size]);
  const failed = [bySize, byRanks].find((query) => query.error && !query.data);
  const turn = (): void => onChange({ view: isTable ? undefined : "table" });
  useShortcut("table", turn);
  return (
    <section className="card" aria-labelledby="curves">
      <div className="card-head">
        <h2 id="curves">Against size and ranks</h2>
        <SimulatedBadge />
        <div className={classes.controls}>
          <Segments label="Quantity" value={metric} options={[["time", "time"], ["busbw", "busbw"]]} onChange={(next) => onChange({ metric: next === "busbw" ? next : undefined })} />
          <Segments label="View" value={isTable ? "table" : "chart"} options={[["chart", "charts"], ["table", "tables"]]} onChange={(next) => onChange({ view: next === "table" ? next : undefined })} />
          <CopyButton text={() => csv(cells)} label="Copy CSV" />
        </div>
      </div>
      {failed && (
        <div className="card-body">
          <QueryError what="Some times could not be computed" query={failed} />
        </div>
      )}
      {jobId !== undefined && rows.error && (
        <div className="card-body">
          <QueryError what={`What job ${jobId} measured could not be loaded`} query={rows} />
        </div>
      )}
      <div className={`card-body ${classes.charts}`}>
        <Panel title={`Over message size, ${ranks} ranks`} cells={cells} x="size" writeSize={writeSize} metric={metric} isTable={isTable} measured={measured}>
          <Caption
            more={`Lines are the model's values for ${plural(cells.length, "size")}. ${metric === "busbw" ? "The dotted line is the limit of the links." : "Both axes are logarithmic."}`}
          >
            {metric === "time" ? "Time of one call" : "Bus bandwidth"} on {form.n} ranks. {rows.isError ? "" : measuredInWords(jobId, measured, ranks)}
          </Caption>
        </Panel>
        <Panel title={`Over ranks, ${writeSize(size)}`} cells={ofSize} x="ranks" writeSize={writeSize} metric={metric} isTable={isTable}>
          <Caption more={`${metric === "time" ? "Time of one call" : "Bus bandwidth"} for ${writeSize(size)} on ${ofSize.map((cell) => cell.shape).join(", ")} ranks, all on the same links.`}>
            {growthInWords(growth(ofSize)) ?? `${metric === "time" ? "Time of one call" : "Bus bandwidth"} of ${writeSize(size)} by ranks.`}
          </Caption>
        </Panel>
      </div>
    </section>
  );
}

function isBound(cells: readonly PriceCell[], algorithm: string): boolean {
  return cells.some((cell) => cell.results.some((price) => price.algorithm === algorithm && price.is_bound));
}

function measuredInWords(jobId: string | undefined, measured: PriceColumns | undefined, ranks: number): string {
  if (jobId === undefined) return "";
  if (!measured) return `What job ${jobId} measured is on its way.`;
  const points = measured.lines.flatMap((line) => line.values).filter((value) => value !== null).length;
  if (points === 0) return `Job ${jobId} has measured none of these algorithms on ${ranks} ranks.`;
  return `Circles: the medians that job ${jobId} measured, n=${points} rows.`;
}

/** How the times of one size grow with the ranks. */
function growthInWords(found: ReturnType<typeof growth>): string | null {
  if (!found) return null;
  const { from, to, most, least } = found;
  return `From ${from.ranks} to ${to.ranks} ranks the time of ${most.algorithm} grows ${digits(most.times)}-fold, that of ${least.algorithm} ${digits(least.times)}-fold.`;
}

interface PanelProps {
  title: string;
  cells: readonly PriceCell[];
  x: "size" | "ranks";
  /** Writes sizes in the units that the reader typed. */
  writeSize: (bytes: number) => string;
  metric: PlanMetric;
  isTable: boolean;
  measured?: PriceColumns | undefined;
  children: ReactNode;
}

function Panel({ title, cells, x, writeSize, metric, isTable, measured, children }: PanelProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const model = useMemo(() => priceColumns(cells, x === "size" ? "size_bytes" : "ranks", metric), [cells, x, metric]);
  const limits = useMemo(() => [...cells].sort((a, b) => a.ranks - b.ranks || a.size_bytes - b.size_bytes).map((cell) => cell.limit_gb_per_s), [cells]);
  const at = hovered === null ? -1 : model.x.indexOf(hovered);
  const index = at < 0 ? model.x.length - 1 : at;
  const place = model.x[index];
  return (
    <figure className={classes.panel}>
      <h3>
        {title} <span className="dim">{place === undefined ? "" : `at ${x === "size" ? writeSize(place) : `${place} ranks`}`}</span>
      </h3>
      <div className={classes.legend}>
        {model.lines.map((line) => (
          <span key={line.algorithm}>
            <Swatch algorithm={line.algorithm} /> {line.algorithm}
            {isBound(cells, line.algorithm) && <Caveat word="bound" why="Messages share links at times that were not followed." />}{" "}
            <strong>{inWords(line.values[index], metric)}</strong>
          </span>
        ))}
      </div>
      {isTable ? (
        <PriceColumnsTable label={title} model={model} measured={measured} x={x} unit={UNITS[metric]} />
      ) : (
        <PriceChart model={model} measured={measured} limits={limits} x={x} metric={metric} onHover={setHovered} />
      )}
      {!isTable && <p className={`dim ${classes.hidden}`}>{hiddenWords(hiddenLines(model))}</p>}
      {children}
    </figure>
  );
}

/** Which lines are drawn over each other, by name. */
function hiddenWords(hidden: readonly (readonly string[])[]): string {
  const groups = hidden.map((names) => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
  return groups.length === 0 ? "" : `On one line, as their values are the same: ${groups.join("; ")}.`;
}

function inWords(value: number | null | undefined, metric: PlanMetric): string {
  if (value == null) return "–";
  return metric === "time" ? formatSeconds(value / 1e6) : `${threeDigits(value)} GB/s`;
}

function csv(cells: readonly PriceCell[]): string {
  const rows = cells.flatMap(({ shape, ranks, size_bytes, limit_gb_per_s, results }) =>
    results.map((price) => ({ shape, ranks, size_bytes, limit_gb_per_s, ...price })),
  );
  return toCsv(rows, ["shape", "ranks", "size_bytes", "algorithm", "time_s", "algbw_gb_per_s", "busbw_gb_per_s", "limit_gb_per_s", "source", "is_bound"], SIMULATED);
}
