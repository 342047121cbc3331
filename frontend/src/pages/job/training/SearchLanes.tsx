import type { SearchCandidate } from "../../../api/types";
import { BarMark, LaneChart, useLanesWidth } from "../../../charts/LaneChart";
import { BAR_PX, LEFT_PX } from "../../../charts/lanes";
import { type PartBar, type SearchLane, searchLanes } from "../../../charts/searchLanes";
import { threeDigits } from "../../../lib/format";
import classes from "./SearchLanes.module.css";

const PARTS: readonly (readonly [PartBar["part"], string])[] = [
  ["compute", "computing"],
  ["input", "waiting for samples"],
  ["exposed", "waiting for sums, servers or other stages"],
];

/** A lane for each candidate: where the time of its mean step goes. */
export function SearchLanes({ candidates }: { candidates: readonly SearchCandidate[] }) {
  const { ref, widthPx } = useLanesWidth();
  const { lanes, ...picture } = searchLanes(candidates, widthPx);
  const legend = PARTS.map(([part, text]) => [text, <BarMark key={part} className={classes[part]} />] as const);
  return (
    <LaneChart box={ref} widthPx={widthPx} {...picture} legend={legend}>
      {lanes.map((lane) => (
        <Lane key={lane.name} lane={lane} />
      ))}
    </LaneChart>
  );
}

/** The names are longer than the margin, so they stand above their bars. */
function Lane({ lane }: { lane: SearchLane }) {
  return (
    <g>
      <text x={LEFT_PX} y={lane.topPx + 14}>
        {lane.name}
      </text>
      {lane.bars.map(({ part, timeUs, startPx, endPx }) => (
        <g key={part}>
          <title>{`${PARTS.find(([known]) => known === part)?.[1]}: ${threeDigits(timeUs / 1000)} ms`}</title>
          <rect x={startPx} y={lane.topPx + 19} width={Math.max(0, endPx - startPx)} height={BAR_PX} className={classes[part]} />
        </g>
      ))}
    </g>
  );
}
