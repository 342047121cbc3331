import type { RankBuckets } from "../../../api/types";
import { BarMark, LaneChart, LaneName, useLanesWidth } from "../../../charts/LaneChart";
import { BAR_PX, LANE_PX } from "../../../charts/lanes";
import { type TensorLane, tensorLanes, type TurnBar } from "../../../charts/tensorLanes";
import { formatSize } from "../../../lib/size";
import classes from "./TensorLanes.module.css";

const LEGEND: readonly (readonly [TurnBar["kind"], string])[] = [
  ["compute", "computing"],
  ["forward", "sum of outputs, forward"],
  ["backward", "sum of gradients, backward"],
];

/** A lane for each rank: computing above, and below it the sums that it waits for. */
export function TensorLanes({ ranks }: { ranks: readonly RankBuckets[] }) {
  const { ref, widthPx } = useLanesWidth();
  const { lanes, ...picture } = tensorLanes(ranks, widthPx);
  const legend = LEGEND.map(([kind, text]) => [text, <BarMark key={kind} className={classes[kind]} />] as const);
  return (
    <LaneChart box={ref} widthPx={widthPx} {...picture} legend={legend}>
      {lanes.map((lane) => (
        <Lane key={lane.rank} lane={lane} />
      ))}
    </LaneChart>
  );
}

function Lane({ lane }: { lane: TensorLane }) {
  const top = lane.topPx + 4;
  return (
    <g>
      <LaneName yPx={lane.topPx + LANE_PX / 2 + 4}>rank {lane.rank}</LaneName>
      {lane.bars.map(({ kind, layer, bytes, startPx, endPx }, index) => (
        <g key={index}>
          <title>{kind === "compute" ? "computing" : `${layer}, ${kind}, ${formatSize(bytes)}`}</title>
          <rect
            x={startPx}
            y={kind === "compute" ? top : top + BAR_PX + 3}
            width={Math.max(kind === "compute" ? 0 : 1, endPx - startPx)}
            height={BAR_PX}
            rx={2}
            className={classes[kind]}
          />
        </g>
      ))}
    </g>
  );
}
