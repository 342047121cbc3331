import { LineSwatch } from "../../components/marks/LineSwatch";
import { ScrollX } from "../../components/controls/ScrollX";
import { type Compared, lineOf } from "../../lib/sweep/compare";
import { meanStep, PART_NAMES, PARTS, type Split, splitOf } from "../../lib/curve";
import { threeDigits } from "../../lib/format";
import classes from "./ComparePage.module.css";

/** The parts of the mean step's time: a bar for each job on one scale, with its numbers. */
export function StepSplits({ items }: { items: readonly Compared[] }) {
  const ids = items.map(({ job }) => job.id);
  const steps = items.map(({ summary }) => meanStep(summary));
  const longest = Math.max(0, ...steps.map((step) => step?.duration_us ?? 0));
  if (longest === 0) return null;
  return (
    <section className="card" aria-labelledby="splits">
      <div className="card-head">
        <h2 id="splits">Where a step&rsquo;s time goes</h2>
        <p className="dim">the mean step of all ranks, without the first of each attempt; all bars on one scale</p>
      </div>
      <ScrollX label="The split of a step, one row for each job">
        <table>
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col" className={classes.barColumn}>Step</th>
              <th scope="col" className="number">All (ms)</th>
              {PARTS.map((part) => (
                <th key={part} scope="col" className="number">
                  <LineSwatch line={{ name: part, colour: `--part-${part}` }} isArea /> {PART_NAMES[part]} (ms)
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map(({ job }, i) => {
              const step = steps[i];
              const split = step && splitOf(step);
              return (
                <tr key={job.id}>
                  <th scope="row">
                    <LineSwatch line={lineOf(job.id, ids)} /> job {job.id}
                  </th>
                  <td>{split && <Bar split={split} longest={longest} />}</td>
                  <td className="number">{step ? threeDigits(step.duration_us / 1000) : "–"}</td>
                  {PARTS.map((part) => (
                    <td key={part} className="number">
                      {split ? threeDigits(split[part] / 1000) : "–"}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}

function Bar({ split, longest }: { split: Split; longest: number }) {
  return (
    <div className={classes.bar} aria-hidden="true">
      {PARTS.map((part) => (
        <span key={part} style={{ width: `${(100 * split[part]) / longest}%`, background: `var(--part-${part})` }} />
      ))}
    </div>
  );
}
