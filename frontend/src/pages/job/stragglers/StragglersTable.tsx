import type { Lateness } from "../../../api/types";
import { CopyButton } from "../../../components/controls/CopyButton";
import { ScrollX } from "../../../components/controls/ScrollX";
import { type Basis, toCsv } from "../../../lib/csv";
import { threeDigits } from "../../../lib/format";
import { lastShare, mostLate } from "./lateness";

/** The strips as numbers: a row for each rank, the latest on average first. */
export function StragglersTable({ found, basis }: { found: Lateness; basis: Basis }) {
  const { ranks, steps } = found;
  return (
    <>
      <ScrollX label="Lateness of each rank">
        <table>
          <caption className="hidden-visually">Lateness of each rank over {steps} iterations</caption>
          <thead>
            <tr>
              <th scope="col">Rank</th>
              <th scope="col">Node</th>
              <th scope="col" className="number">mean late (µs)</th>
              <th scope="col" className="number">largest (µs)</th>
              <th scope="col" className="number">clock error (µs)</th>
              <th scope="col" className="number">came last</th>
              <th scope="col" className="number">iterations</th>
            </tr>
          </thead>
          <tbody>
            {ranks.map((rank) => (
              <tr key={rank.rank}>
                <th scope="row">rank {rank.rank}</th>
                <td>{rank.node}</td>
                <td className="number">{threeDigits(rank.mean_late_us)}</td>
                <td className="number">{threeDigits(mostLate([rank]))}</td>
                <td className="number">{rank.error_us === null ? "not known" : threeDigits(rank.error_us)}</td>
                <td className="number">{lastShare(rank, steps)}</td>
                <td className="number">{steps}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <CopyButton text={() => toCsv(cells(found), ["rank", "node", "first_iteration", "late_us", "error_us"], basis)} label="Copy CSV of every cell" />
    </>
  );
}

interface Cell {
  rank: number;
  node: string;
  first_iteration: number;
  late_us: number | null;
  error_us: number | null;
}

function cells({ ranks, steps_per_column: width }: Lateness): Cell[] {
  return ranks.flatMap(({ rank, node, error_us, late_us }) =>
    late_us.map((late, column) => ({ rank, node, first_iteration: column * width, late_us: late, error_us })),
  );
}
