import { useEffect, useRef, useState } from "react";
import type { RankBuckets } from "../../../api/types";
import { AXIS_PX, BAR_PX, bucketLanes, type Lane, LANE_PX, LEFT_PX, type Summed } from "../../../charts/bucketLanes";
import { formatSize } from "../../../lib/size";
import classes from "./BucketLanes.module.css";

const START_WIDTH_PX = 900;
const MIN_LABEL_PX = 14;

/** Lanes of the ranks on one axis of time, hidden from screen readers: the table and the caption have the same content. */
export function BucketLanes({ ranks, summed = "gradients" }: { ranks: readonly RankBuckets[]; summed?: Summed }) {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(START_WIDTH_PX);
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const observer = new ResizeObserver(() => setWidth(target.clientWidth));
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  const { lanes, heightPx, ticks } = bucketLanes(ranks, width, summed);
  const name = summed === "parameters" ? "average" : "sum";
  const bottom = heightPx - AXIS_PX;
  return (
    <div ref={element} aria-hidden="true">
      <div className={classes.legend}>
        <Key className={classes.backward} text="forward and backward" />
        <Key className={classes.sum} text={`${name} of a bucket`} />
        {summed === "shares" && <Key className={classes.gather} text="all-gather of its parameters" />}
        <Key className={classes.waiting} text={`ready, waits for its ${name}`} />
      </div>
      <svg width={width} height={heightPx} className={classes.lanes}>
        {ticks.map(({ px, timeUs }) => (
          <g key={timeUs}>
            <line x1={px} x2={px} y1={0} y2={bottom} className={classes.grid} />
            <text x={px} y={bottom + 18} textAnchor="middle">
              {(timeUs / 1000).toLocaleString("en", { maximumFractionDigits: 3 })} ms
            </text>
          </g>
        ))}
        {lanes.map((lane) => (
          <LaneOf key={lane.rank} lane={lane} />
        ))}
      </svg>
    </div>
  );
}

function Key({ className = "", text }: { className: string | undefined; text: string }) {
  return (
    <span>
      <svg width="14" height="10">
        <rect y="1" width="14" height="8" rx="2" className={className} />
      </svg>
      {text}
    </span>
  );
}

function LaneOf({ lane }: { lane: Lane }) {
  const top = lane.topPx + 4;
  const below = top + BAR_PX + 3;
  return (
    <g>
      <text x={LEFT_PX - 10} y={lane.topPx + LANE_PX / 2 + 4} textAnchor="end" className={classes.rank}>
        rank {lane.rank}
      </text>
      <rect x={LEFT_PX} y={top} width={Math.max(0, lane.backwardEndPx - LEFT_PX)} height={BAR_PX} rx={2} className={classes.backward} />
      {lane.sums.map((sum) => (
        <rect key={`${sum.bucket}/${sum.isGather}`} x={sum.readyPx} y={below + BAR_PX / 2 - 2} width={Math.max(0, sum.startPx - sum.readyPx)} height={4} className={classes.waiting} />
      ))}
      {lane.sums.map((sum) => (
        <g key={`${sum.bucket}/${sum.isGather}`}>
          <title>{`Bucket ${sum.bucket}, ${sum.isGather ? "parameters, " : ""}${formatSize(sum.bytes)}`}</title>
          <rect x={sum.startPx} y={below} width={Math.max(1, sum.endPx - sum.startPx)} height={BAR_PX} rx={2} className={sum.isGather ? classes.gather : classes.sum} />
          <line x1={sum.readyPx} x2={sum.readyPx} y1={top - 1} y2={below + BAR_PX} className={classes.ready} />
          {sum.endPx - sum.startPx >= MIN_LABEL_PX && (
            <text x={(sum.startPx + sum.endPx) / 2} y={below + BAR_PX - 2.5} textAnchor="middle" className={classes.number}>
              {sum.bucket}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}
