import { useEffect, useRef, useState } from "react";
import type { PipelineStep } from "../../../api/types";
import { AXIS_PX, BAR_PX, LANE_PX, LEFT_PX } from "../../../charts/bucketLanes";
import { type Activity, type ActivityBar, pipelineLanes, type StageLane } from "../../../charts/pipelineLanes";
import classes from "./PipelineLanes.module.css";

const START_WIDTH_PX = 900;
const MIN_LABEL_PX = 22;
const LETTERS: Partial<Record<Activity, string>> = { forward: "F", backward: "B" };

/** Lanes of the stages on one axis of time, hidden from screen readers: the table and the caption have the same content. */
export function PipelineLanes({ ranks }: { ranks: readonly PipelineStep[] }) {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(START_WIDTH_PX);
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const observer = new ResizeObserver(() => setWidth(target.clientWidth));
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  const { lanes, heightPx, ticks } = pipelineLanes(ranks, width);
  const bottom = heightPx - AXIS_PX;
  return (
    <div ref={element} aria-hidden="true">
      <div className={classes.legend}>
        <Key className={classes.forward} text="F: forward of a micro-batch" />
        <Key className={classes.backward} text="B: backward" />
        <Key className={classes.send} text="send" />
        <Key className={classes.wait} text="wait" />
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

function LaneOf({ lane }: { lane: StageLane }) {
  return (
    <g>
      <text x={LEFT_PX - 10} y={lane.topPx + LANE_PX / 2} textAnchor="end" className={classes.rank}>
        rank {lane.rank}
      </text>
      <text x={LEFT_PX - 10} y={lane.topPx + LANE_PX / 2 + 13} textAnchor="end">
        stage {lane.stage}
      </text>
      {lane.bars.map((bar) => (
        <Bar key={`${bar.kind}/${bar.part}/${bar.microBatch}/${bar.startPx}`} bar={bar} topPx={lane.topPx + 6} />
      ))}
    </g>
  );
}

/** Computing is above; sending goes on beside it, below. A wait is a thin line where computing would be. */
function Bar({ bar, topPx }: { bar: ActivityBar; topPx: number }) {
  const { kind, part, microBatch, startPx, endPx } = bar;
  const width = endPx - startPx;
  const letter = LETTERS[kind];
  const y = kind === "send" ? topPx + BAR_PX + 4 : kind === "wait" ? topPx + BAR_PX / 2 - 2 : topPx;
  return (
    <g>
      <title>{`${kind}, micro-batch ${microBatch}, part ${part}`}</title>
      <rect x={startPx} y={y} width={Math.max(letter ? 1 : 0, width)} height={letter ? BAR_PX : 4} rx={letter ? 2 : 0} className={classes[kind]} />
      {letter && width >= MIN_LABEL_PX && (
        <text x={(startPx + endPx) / 2} y={y + BAR_PX - 2.5} textAnchor="middle" className={classes.number}>
          {letter}
          {microBatch}
        </text>
      )}
    </g>
  );
}
