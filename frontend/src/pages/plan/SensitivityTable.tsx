import { useQuery } from "@tanstack/react-query";
import { sensitivityQuery } from "../../data/planning";
import type { RegimeFigures, SensitivityList } from "../../api/types";
import { CopyButton } from "../../components/controls/CopyButton";
import { Loaded } from "../../components/states/Loaded";
import { ScrollX } from "../../components/controls/ScrollX";
import { Swatch } from "../../components/marks/Swatch";
import { SIMULATED, toCsv } from "../../lib/csv";
import { type PlanForm, sensitivityQuestion } from "../../lib/form/planForm";
import { Fold } from "./Fold";
import classes from "./PlanPage.module.css";

const FIGURES: Record<string, string> = {
  latency: "latency α",
  bandwidth: "bandwidth B",
  intra_latency: "latency inside nodes",
  intra_bandwidth: "bandwidth inside nodes",
  adding: "speed of adding",
  size: "size K",
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
  const changeOf = (algorithm: string, figure: string): string => {
    const item = data.items.find((one) => one.algorithm === algorithm && one.figure === figure);
    return item ? changeInWords(item.change) : "–";
  };
  const isAlike = figures.every((figure) => new Set(algorithms.map((algorithm) => changeOf(algorithm, figure))).size < 2);
  const first = algorithms[0];
  if (isAlike && first !== undefined) {
    return (
      <Fold title="Sensitivity of the times">
        <p className={`card-body ${classes.note}`}>
          10 % more of one figure changes the time of every algorithm alike: {figures.map((figure) => `${FIGURES[figure] ?? figure} ${changeOf(first, figure)}`).join(", ")}.
        </p>
      </Fold>
    );
  }
  return (
    <Fold title="Sensitivity of the times">
      <div className={classes.copies}>
        <CopyButton text={() => toCsv(data.items, ["algorithm", "figure", "time_s", "changed_time_s", "change"], SIMULATED)} label="Copy CSV" />
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
                {figures.map((figure) => (
                  <td key={figure} className="number">
                    {changeOf(algorithm, figure)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <p className={`card-body dim ${classes.note}`}>
        The change of one call&rsquo;s time when that figure alone is 10 % larger; where only an upper bound is known, the change of the bound.
      </p>
    </Fold>
  );
}

function changeInWords(share: number): string {
  const value = 100 * share;
  return Math.abs(value) < 0.05 ? "0.0 %" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(1)} %`;
}
