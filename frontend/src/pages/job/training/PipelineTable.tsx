import type { PipelineStep } from "../../../api/types";
import { totalUs } from "../../../charts/pipelineLanes";
import { ScrollX } from "../../../components/controls/ScrollX";
import { threeDigits } from "../../../lib/format";

const ms = (timeUs: number): string => threeDigits(timeUs / 1000);

/** The lanes as numbers: the time of each kind of activity on each rank. */
export function PipelineTable({ ranks }: { ranks: readonly PipelineStep[] }) {
  return (
    <ScrollX label="Stages of the newest step" isTall>
      <table>
        <caption className="hidden-visually">How long each stage computed, sent and waited in a step</caption>
        <thead>
          <tr>
            <th scope="col" className="number">Rank</th>
            <th scope="col" className="number">Replica</th>
            <th scope="col" className="number">Stage</th>
            <th scope="col" className="number">Step</th>
            <th scope="col" className="number">Forward (ms)</th>
            <th scope="col" className="number">Backward (ms)</th>
            <th scope="col" className="number">Wait (ms)</th>
            <th scope="col" className="number">Send (ms)</th>
            <th scope="col" className="number">Micro-batches kept</th>
          </tr>
        </thead>
        <tbody>
          {ranks.map((rank) => (
            <tr key={rank.rank}>
              <th scope="row" className="number">{rank.rank}</th>
              <td className="number">{rank.replica}</td>
              <td className="number">{rank.stage}</td>
              <td className="number">{rank.step}</td>
              <td className="number">{ms(totalUs(rank, "forward"))}</td>
              <td className="number">{ms(totalUs(rank, "backward"))}</td>
              <td className="number">{ms(totalUs(rank, "wait"))}</td>
              <td className="number">{ms(totalUs(rank, "send"))}</td>
              <td className="number">{rank.peak_activations}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
