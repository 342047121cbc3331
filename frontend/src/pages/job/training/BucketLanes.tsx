import type { RankBuckets } from "../../../api/types";
import { type BucketLane, bucketLanes, type Summed } from "../../../charts/bucketLanes";
import { BarMark, BarText, LaneChart, LaneName, useLanesWidth } from "../../../charts/LaneChart";
import { BAR_PX, LANE_PX, LEFT_PX } from "../../../charts/lanes";
import { formatSize } from "../../../lib/size";
import classes from "./BucketLanes.module.css";

const MIN_LABEL_PX = 14;

/** A lane for each rank: forward and backward above, the sums of its buckets below. */
export function BucketLanes({ ranks, summed = "gradients" }: { ranks: readonly RankBuckets[]; summed?: Summed }) {
  const { ref, widthPx } = useLanesWidth();
  const { lanes, ...picture } = bucketLanes(ranks, widthPx, summed);
  return (
    <LaneChart box={ref} widthPx={widthPx} {...picture} legend={legendOf(summed)}>
      {lanes.map((lane) => (
        <Lane key={lane.rank} lane={lane} />
      ))}
    </LaneChart>
  );
}

function legendOf(summed: Summed) {
  const name = summed === "parameters" ? "average" : "sum";
  const entry = (text: string, className: string | undefined) => [text, <BarMark key={text} className={className} />] as const;
  return [
    entry("forward and backward", classes.backward),
    entry(`${name} of a bucket`, classes.sum),
    ...(summed === "shares" ? [entry("all-gather of its parameters", classes.gather)] : []),
    entry(`ready, waits for its ${name}`, classes.waiting),
  ];
}

function Lane({ lane }: { lane: BucketLane }) {
  const top = lane.topPx + 4;
  const below = top + BAR_PX + 3;
  return (
    <g>
      <LaneName yPx={lane.topPx + LANE_PX / 2 + 4}>rank {lane.rank}</LaneName>
      <rect x={LEFT_PX} y={top} width={Math.max(0, lane.backwardEndPx - LEFT_PX)} height={BAR_PX} rx={2} className={classes.backward} />
      {lane.sums.map((sum) => (
        <rect key={`${sum.bucket}/${sum.isGather}`} x={sum.readyPx} y={below + BAR_PX / 2 - 2} width={Math.max(0, sum.startPx - sum.readyPx)} height={4} className={classes.waiting} />
      ))}
      {lane.sums.map((sum) => (
        <g key={`${sum.bucket}/${sum.isGather}`}>
          <title>{`Bucket ${sum.bucket}, ${sum.isGather ? "parameters, " : ""}${formatSize(sum.bytes)}`}</title>
          <rect x={sum.startPx} y={below} width={Math.max(1, sum.endPx - sum.startPx)} height={BAR_PX} rx={2} className={sum.isGather ? classes.gather : classes.sum} />
          <line x1={sum.readyPx} x2={sum.readyPx} y1={top - 1} y2={below + BAR_PX} className={classes.ready} />
          <BarText startPx={sum.startPx} endPx={sum.endPx} yPx={below + BAR_PX - 2.5} leastPx={MIN_LABEL_PX}>
            {sum.bucket}
          </BarText>
        </g>
      ))}
    </g>
  );
}
