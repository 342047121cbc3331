import type { RankBuckets } from "../../../api/types";
import { bucketOf, type Summed } from "../../../charts/bucketLanes";
import { ScrollX } from "../../../components/controls/ScrollX";
import { threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";

const bucketName = (rank: RankBuckets, i: number, summed: Summed): string => {
  const { bucket, isGather } = bucketOf(rank, i, summed);
  return isGather ? `${bucket}, parameters` : String(bucket);
};
const ms = (timeUs: number): string => threeDigits(timeUs / 1000);

/** The lanes as numbers: a row for each bucket of each rank. */
export function BucketTable({ ranks, summed = "gradients" }: { ranks: readonly RankBuckets[]; summed?: Summed }) {
  const name = summed === "parameters" ? "Average" : "Sum";
  return (
    <ScrollX label="Buckets of the newest step" isTall>
      <table>
        <caption className="hidden-visually">When each bucket was ready and summed, from the start of the rank&rsquo;s step</caption>
        <thead>
          <tr>
            <th scope="col" className="number">Rank</th>
            <th scope="col" className="number">Step</th>
            <th scope="col" className="number">Bucket</th>
            <th scope="col" className="number">Size</th>
            <th scope="col" className="number">Ready (ms)</th>
            <th scope="col" className="number">{name} began (ms)</th>
            <th scope="col" className="number">{name} ended (ms)</th>
            <th scope="col" className="number">Backward ended (ms)</th>
          </tr>
        </thead>
        <tbody>
          {ranks.flatMap((rank) =>
            rank.buckets.map((bucket, i) => (
              <tr key={`${rank.rank}/${i}`}>
                <th scope="row" className="number">{rank.rank}</th>
                <td className="number">{rank.step}</td>
                <td className="number">{bucketName(rank, i, summed)}</td>
                <td className="number">{formatSize(bucket.bytes)}</td>
                <td className="number">{ms(bucket.ready_us)}</td>
                <td className="number">{ms(bucket.start_us)}</td>
                <td className="number">{ms(bucket.end_us)}</td>
                <td className="number">{ms(rank.backward_us)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </ScrollX>
  );
}
