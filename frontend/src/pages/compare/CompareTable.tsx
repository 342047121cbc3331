import { LineSwatch } from "../../components/marks/LineSwatch";
import { ScrollX } from "../../components/controls/ScrollX";
import { type Compared, lineOf, type Measure, MEASURES, ratio } from "../../lib/sweep/compare";
import { threeDigits } from "../../lib/format";
import { jobName, jobWord } from "../../lib/state";

/** A row for each measure and a column for each job; ratios are to the base job. */
export function CompareTable({ items, base }: { items: readonly Compared[]; base: Compared }) {
  const ids = items.map(({ job }) => job.id);
  return (
    <section className="card" aria-labelledby="figures">
      <div className="card-head">
        <h2 id="figures">Figures</h2>
        <p className="dim">× is the ratio to job {base.job.id}, the base job. Throughput, step and waiting are means over the same steps: all but the first of each attempt.</p>
      </div>
      <ScrollX label="Figures, a column for each job">
        <table>
          <thead>
            <tr>
              <th scope="col">Measure</th>
              {items.map(({ job }) => (
                <th key={job.id} scope="col" className="number" title={jobName(job)}>
                  <LineSwatch line={lineOf(job.id, ids)} /> {jobWord(job)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {MEASURES.map((measure) => (
              <tr key={measure.name}>
                <th scope="row">{measure.name}</th>
                {items.map((item) => (
                  <Cell key={item.job.id} measure={measure} item={item} base={base} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}

function Cell({ measure, item, base }: { measure: Measure; item: Compared; base: Compared }) {
  const value = measure.value(item);
  const times = item === base ? null : ratio(measure, item, base);
  return (
    <td className="number">
      {value == null ? <span className="dim">–</span> : measure.format(value)}
      {times !== null && <span className="dim"> {threeDigits(times)}×</span>}
    </td>
  );
}
