/** The newest epochs of training, one row each. */
import { useQuery } from "@tanstack/react-query";
import { MOST_EPOCHS, newestEpochsQuery } from "../../../data/training";
import type { EpochView, JobView } from "../../../api/types";
import { Loaded } from "../../../components/states/Loaded";
import { ScrollX } from "../../../components/controls/ScrollX";
import { formatDuration, formatRate, percent, threeDigits } from "../../../lib/format";

export function Epochs({ job }: { job: JobView }) {
  const done = job.summary.kind === "benchmark" ? 0 : job.summary.epochs_done;
  const epochs = useQuery(newestEpochsQuery(job.id, done));
  return (
    <Loaded query={epochs} what="The epochs could not be loaded" rows={0}>
      {(found) => found.length > 0 && <EpochsTable epochs={found} done={done} />}
    </Loaded>
  );
}

function EpochsTable({ epochs, done }: { epochs: readonly EpochView[]; done: number }) {
  return (
    <section className="card" aria-labelledby="epochs">
      <div className="card-head">
        <h2 id="epochs">Epochs</h2>
        {epochs.length === MOST_EPOCHS && done > MOST_EPOCHS && <p className="dim">the newest {MOST_EPOCHS} of {done}</p>}
      </div>
      <ScrollX label="Epochs, one row each" isTall>
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">Epoch</th>
              <th scope="col" className="number">Steps</th>
              <th scope="col" className="number">Loss</th>
              <th scope="col" className="number">Held-out loss</th>
              <th scope="col" className="number">Accuracy</th>
              <th scope="col" className="number">Samples/s</th>
              <th scope="col" className="number">Took</th>
              <th scope="col" className="number">Attempt</th>
            </tr>
          </thead>
          <tbody>
            {epochs.map((epoch) => (
              <EpochRow key={epoch.id} epoch={epoch} />
            ))}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}

function EpochRow({ epoch }: { epoch: EpochView }) {
  const { duration_us: took, samples, training_loss: loss, validation_accuracy: accuracy } = epoch;
  return (
    <tr>
      <th scope="row" className="number">{epoch.epoch}</th>
      <td className="number">{epoch.step}</td>
      <td className="number">{loss == null ? "diverged" : threeDigits(loss)}</td>
      <td className="number">{epoch.validation_loss == null ? "–" : threeDigits(epoch.validation_loss)}</td>
      <td className="number">{accuracy == null ? "–" : percent(accuracy)}</td>
      <td className="number">{took > 0 ? formatRate((samples / took) * 1e6) : "–"}</td>
      <td className="number">{formatDuration(took * 1e-6)}</td>
      <td className="number">{epoch.attempt}</td>
    </tr>
  );
}
