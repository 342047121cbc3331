import { useMemo } from "react";
import type { CurvePoint } from "../../api/types";
import { panelsClass } from "../../components/ChartPanel";
import { CopyButton } from "../../components/controls/CopyButton";
import { Segments } from "../../components/controls/Segments";
import { basesOf } from "../../lib/sweep/caveats";
import { accuracies, type Axis, type Compared, lineOf, losses, rates } from "../../lib/sweep/compare";
import { toCsv } from "../../lib/csv";
import { rangeOf } from "../../lib/curve";
import { formatRate, threeDigits } from "../../lib/format";
import classes from "./ComparePage.module.css";
import { CurvePanel } from "./CurvePanel";

const CSV_COLUMNS: (keyof CurvePoint | "job_id")[] = [
  "job_id", "first_step", "last_step", "loss", "samples_per_second", "duration_us", "compute_us", "communication_us", "exposed_us",
  "input_us", "memory_bytes",
];

interface Props {
  items: readonly Compared[];
  axis: Axis;
  isTable: boolean;
  onView: (view: "table" | undefined) => void;
}

/** Loss, accuracy and throughput, a line for each job; as charts or as tables. */
export function CompareCharts({ items, axis, isTable, onView }: Props) {
  const columns = useMemo(
    () => ({ loss: losses(items, axis), accuracy: accuracies(items, axis), rate: rates(items, axis) }),
    [items, axis],
  );
  const ids = items.map(({ job }) => job.id);
  const lines = items.map(({ job }) => lineOf(job.id, ids, `job ${job.id}`));
  const shared = {
    xLabel: axis === "time" ? "seconds in steps" : "steps",
    sync: `compare ${axis}`,
    isTable,
    xRange: rangeOf(Object.values(columns)),
    place: (x: number) => (axis === "time" ? `after ${threeDigits(x)} s` : `at step ${Math.round(x)}`),
  };
  const over = axis === "time" ? "Time in steps, without validation and checkpoints." : "";
  return (
    <section className="card" aria-labelledby="curves">
      <div className="card-head">
        <h2 id="curves">Curves</h2>
        <div className={`spread ${classes.choice}`}>
          <Segments
            label="View"
            value={isTable ? "table" : "chart"}
            options={[["chart", "charts"], ["table", "tables"]]}
            onChange={(view) => onView(view === "table" ? view : undefined)}
          />
          <CopyButton text={() => csvOf(items)} label="Copy CSV" />
        </div>
      </div>
      <div className={`card-body ${panelsClass}`}>
        <CurvePanel {...shared} title="Training loss" yLabel="loss" lines={lines} columns={columns.loss} format={threeDigits}>
          {over || "Each point is the mean of a few steps."}
        </CurvePanel>
        <CurvePanel
          {...shared}
          title="Accuracy"
          yLabel="%"
          yMax={100}
          lines={lines.map((line) => ({ ...line, hasPoints: true }))}
          columns={columns.accuracy}
          format={(value) => `${value.toFixed(1)} %`}
        >
          Accuracy on held-out samples at the ends of epochs. {over}
        </CurvePanel>
        <CurvePanel
          {...shared}
          title="Throughput"
          yLabel="samples/s"
          lines={lines}
          columns={columns.rate}
          format={(value) => `${formatRate(value)}/s`}
          atRest={{ word: "mean", values: items.map(({ summary }) => summary.samples_per_second) }}
        >
          Samples of all ranks together. {over}
        </CurvePanel>
      </div>
    </section>
  );
}

/** Every point of every job, with the basis of its job's numbers. */
function csvOf(items: readonly Compared[]): string {
  const bases = basesOf(items.map(({ job }) => job));
  const rows = items.flatMap(({ job, points }) => points.map((point) => ({ job_id: job.id, ...point })));
  return toCsv(rows, CSV_COLUMNS, (row) => bases(row.job_id));
}
