import type { PipelineStep } from "../../../api/types";
import { BarMark, BarText, LaneChart, LaneName, useLanesWidth } from "../../../charts/LaneChart";
import { BAR_PX, LANE_PX } from "../../../charts/lanes";
import { type Activity, type ActivityBar, pipelineLanes, type StageLane } from "../../../charts/pipelineLanes";
import classes from "./PipelineLanes.module.css";

const MIN_LABEL_PX = 22;
const LETTERS: Partial<Record<Activity, string>> = { forward: "F", backward: "B" };
const LEGEND: readonly (readonly [Activity, string])[] = [
  ["forward", "F: forward of a micro-batch"],
  ["backward", "B: backward"],
  ["send", "send"],
  ["wait", "wait"],
];

/** A lane for each rank with its stage: what it computes, waits for and sends. */
export function PipelineLanes({ ranks }: { ranks: readonly PipelineStep[] }) {
  const { ref, widthPx } = useLanesWidth();
  const { lanes, ...picture } = pipelineLanes(ranks, widthPx);
  const legend = LEGEND.map(([kind, text]) => [text, <BarMark key={kind} className={classes[kind]} />] as const);
  return (
    <LaneChart box={ref} widthPx={widthPx} {...picture} legend={legend}>
      {lanes.map((lane) => (
        <Lane key={lane.rank} lane={lane} />
      ))}
    </LaneChart>
  );
}

function Lane({ lane }: { lane: StageLane }) {
  return (
    <g>
      <LaneName yPx={lane.topPx + LANE_PX / 2}>rank {lane.rank}</LaneName>
      <LaneName yPx={lane.topPx + LANE_PX / 2 + 13} isDetail>
        stage {lane.stage}
      </LaneName>
      {lane.bars.map((bar) => (
        <Bar key={`${bar.kind}/${bar.part}/${bar.microBatch}/${bar.startPx}`} bar={bar} topPx={lane.topPx + 6} />
      ))}
    </g>
  );
}

/** Computing is above; sending goes on beside it, below. A wait is a thin line where computing would be. */
function Bar({ bar, topPx }: { bar: ActivityBar; topPx: number }) {
  const { kind, part, microBatch, startPx, endPx } = bar;
  const letter = LETTERS[kind];
  const y = kind === "send" ? topPx + BAR_PX + 4 : kind === "wait" ? topPx + BAR_PX / 2 - 2 : topPx;
  return (
    <g>
      <title>{`${kind}, micro-batch ${microBatch}, part ${part}`}</title>
      <rect
        x={startPx}
        y={y}
        width={Math.max(letter ? 1 : 0, endPx - startPx)}
        height={letter ? BAR_PX : 4}
        rx={letter ? 2 : 0}
        className={classes[kind]}
      />
      {letter && (
        <BarText startPx={startPx} endPx={endPx} yPx={y + BAR_PX - 2.5} leastPx={MIN_LABEL_PX}>
          {letter}
          {microBatch}
        </BarText>
      )}
    </g>
  );
}
