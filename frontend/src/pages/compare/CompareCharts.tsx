import { useMemo } from "react";
import { ChartPanel, panelsClass } from "../../components/ChartPanel";
import { accuracies, type Axis, type Compared, lineOf, losses, rates } from "../../lib/compare";
import { rangeOf } from "../../lib/curve";
import { formatRate, threeDigits } from "../../lib/format";

/** Loss, accuracy and throughput, a line for each job. */
export function CompareCharts({ items, axis }: { items: readonly Compared[]; axis: Axis }) {
  const columns = useMemo(
    () => ({ loss: losses(items, axis), accuracy: accuracies(items, axis), rate: rates(items, axis) }),
    [items, axis],
  );
  const lines = items.map(({ job }, i) => lineOf(i, `job ${job.id}`));
  const shared = {
    xLabel: axis === "time" ? "seconds in steps" : "steps",
    sync: `compare ${axis}`,
    xRange: rangeOf(Object.values(columns)),
    place: (x: number) => (axis === "time" ? `after ${threeDigits(x)} s` : `at step ${Math.round(x)}`),
  };
  const over = axis === "time" ? "Time in steps, without validation and checkpoints." : "";
  return (
    <section className="card" aria-labelledby="curves">
      <div className="card-head">
        <h2 id="curves">Curves</h2>
      </div>
      <div className={`card-body ${panelsClass}`}>
        <ChartPanel {...shared} title="Training loss" yLabel="loss" lines={lines} columns={columns.loss} format={threeDigits}>
          {over || "Each point is the mean of a few steps."}
        </ChartPanel>
        <ChartPanel
          {...shared}
          title="Accuracy"
          yLabel="%"
          yMax={100}
          lines={lines.map((line) => ({ ...line, hasPoints: true }))}
          columns={columns.accuracy}
          format={(value) => `${value.toFixed(1)} %`}
        >
          Of the held-out samples, at the ends of epochs. {over}
        </ChartPanel>
        <ChartPanel {...shared} title="Throughput" yLabel="samples/s" lines={lines} columns={columns.rate} format={(value) => `${formatRate(value)}/s`}>
          Samples of all ranks together. {over}
        </ChartPanel>
      </div>
    </section>
  );
}
