import type { RankBuckets } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";

const ms = (timeUs: number): string => threeDigits(timeUs / 1000);

/** The lanes as numbers: a row for each sum of each rank. */
export function TensorTable({ ranks }: { ranks: readonly RankBuckets[] }) {
  return (
    <ScrollX label="Sums of the newest step" isTall>
      <table>
        <caption className="hidden-visually">When each sum of activations began and ended, from the start of the rank&rsquo;s step</caption>
        <thead>
          <tr>
            <th scope="col" className="number">Rank</th>
            <th scope="col" className="number">Step</th>
            <th scope="col">Layer</th>
            <th scope="col">Pass</th>
            <th scope="col" className="number">Size</th>
            <th scope="col" className="number">Began (ms)</th>
            <th scope="col" className="number">Ended (ms)</th>
            <th scope="col" className="number">Backward ended (ms)</th>
          </tr>
        </thead>
        <tbody>
          {ranks.flatMap((rank) =>
            rank.buckets.map((sum, i) => (
              <tr key={`${rank.rank}/${i}`}>
                <th scope="row" className="number">{rank.rank}</th>
                <td className="number">{rank.step}</td>
                <td>{sum.layer}</td>
                <td>{sum.direction}</td>
                <td className="number">{formatSize(sum.bytes)}</td>
                <td className="number">{ms(sum.start_us)}</td>
                <td className="number">{ms(sum.end_us)}</td>
                <td className="number">{ms(rank.backward_us)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </ScrollX>
  );
}
