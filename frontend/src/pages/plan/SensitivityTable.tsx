import { useQuery } from "@tanstack/react-query";
import { sensitivityQuery } from "../../data/planning";
import type { RegimeFigures, SensitivityList } from "../../api/types";
import { CopyButton } from "../../components/controls/CopyButton";
import { Loaded } from "../../components/states/Loaded";
import { ScrollX } from "../../components/controls/ScrollX";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { Swatch } from "../../components/marks/Swatch";
import { SIMULATED, toCsv } from "../../lib/csv";
import { type PlanForm, sensitivityQuestion } from "../../lib/form/planForm";
import { formatSize } from "../../lib/size";
import classes from "./PlanPage.module.css";

const FIGURES: Record<string, string> = {
  latency: "latency α",
  bandwidth: "bandwidth B",
  intra_latency: "latency inside nodes",
  intra_bandwidth: "bandwidth inside nodes",
  adding: "speed of adding",
  size: "size S",
};

/** How 10 % more of each figure changes the times. */
export function SensitivityTable({ form, parameters }: { form: PlanForm; parameters: readonly RegimeFigures[] }) {
  const question = sensitivityQuestion(form, parameters);
  const changes = useQuery(sensitivityQuery(question));
  return (
    <Loaded query={changes} what="The sensitivity of the times could not be computed" rows={6}>
      {(data) => <Changes data={data} />}
    </Loaded>
  );
}

function Changes({ data }: { data: SensitivityList }) {
  const figures = [...new Set(data.items.map((item) => item.figure))];
  const algorithms = [...new Set(data.items.map((item) => item.algorithm))];
  return (
    <section className="card" aria-labelledby="sensitivity">
      <div className="card-head">
        <h2 id="sensitivity">Sensitivity of the times</h2>
        <SimulatedBadge />
        <div className={classes.controls}>
          <CopyButton text={() => toCsv(data.items, ["algorithm", "figure", "time_s", "changed_time_s", "change"], SIMULATED)} label="Copy CSV" />
        </div>
      </div>
      <ScrollX label="Change of time, one algorithm in each row">
        <table>
          <caption className="hidden-visually">Change of each algorithm’s time when a figure is 10 % larger</caption>
          <thead>
            <tr>
              <th scope="col">+10 % of</th>
              {figures.map((figure) => (
                <th key={figure} scope="col" className="number">
                  {FIGURES[figure] ?? figure}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {algorithms.map((algorithm) => (
              <tr key={algorithm}>
                <th scope="row">
                  <Swatch algorithm={algorithm} /> {algorithm}
                </th>
                {figures.map((figure) => {
                  const item = data.items.find((one) => one.algorithm === algorithm && one.figure === figure);
                  return (
                    <td key={figure} className="number">
                      {item ? changeInWords(item.change) : "–"}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <p className={`card-body dim ${classes.note}`}>
        Change of the time of one call with {formatSize(data.size_bytes)} on {data.ranks} ranks when that figure alone is 10 % larger; where only an upper bound is known, the change of the bound.
      </p>
    </section>
  );
}

function changeInWords(share: number): string {
  const value = 100 * share;
  return Math.abs(value) < 0.05 ? "0.0 %" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(1)} %`;
}
