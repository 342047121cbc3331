import { useMemo } from "react";
import { BarMark, LaneChart, LaneName, useLanesWidth } from "../../charts/LaneChart";
import { AXIS_PX, LEFT_PX } from "../../charts/lanes";
import {
  barPath, ghostPath, type LaneBar, MODEL_BAR_PX, moveLanes, type Part, whiskerPath,
} from "./moveLanes";
import { formatSeconds } from "../../lib/amount";
import { type Move, type Run, stepEndUs } from "../../lib/moves";
import classes from "./Lanes.module.css";

/** In the order in which they are drawn. */
const PARTS: readonly (readonly [Part, string])[] = [["wait", "waits"], ["send", "sends"], ["receive", "receives"], ["add", "adds"]];

/** A lane for each rank on one axis of time, with the playhead. Hidden from screen readers: the table has the same numbers. */
export function LanePicture({ run, step, critical }: { run: Run; step: number; critical: readonly Move[] }) {
  const { ref, widthPx } = useLanesWidth();
  const { bars, lanes, ticks, heightPx, model, lanesPx, at } = useMemo(() => moveLanes(run, widthPx, critical), [run, widthPx, critical]);
  const head = at(stepEndUs(run, step));
  const whiskers = whiskerPath(bars, lanesPx);
  const done = new Set(run.steps.slice(0, step).flat());
  return (
    <LaneChart
      box={ref}
      widthPx={widthPx}
      heightPx={heightPx}
      ticks={ticks}
      tickText={(timeUs) => formatSeconds(timeUs / 1e6)}
      legend={legendOf(bars, model !== null, whiskers !== "")}
    >
      {lanes.map(({ rank, middlePx }) => (
        <LaneName key={rank} yPx={middlePx + 4}>
          {run.ranks > 16 ? rank : `rank ${rank}`}
        </LaneName>
      ))}
      <Bars bars={bars.filter((bar) => !done.has(bar.move))} className={classes.later} />
      <Bars bars={bars.filter((bar) => done.has(bar.move))} />
      <path d={whiskers} className={classes.whisker} />
      {model && (
        <>
          <LaneName yPx={model.topPx + MODEL_BAR_PX - 3}>model</LaneName>
          <rect x={LEFT_PX} y={model.topPx} width={model.widthPx} height={MODEL_BAR_PX} className={classes.ghost} />
        </>
      )}
      <line x1={head} x2={head} y1={0} y2={heightPx - AXIS_PX} className={classes.head} />
    </LaneChart>
  );
}

/** A path for each kind, as there may be thousands of bars. */
function Bars({ bars, className }: { bars: readonly LaneBar[]; className?: string | undefined }) {
  return (
    <g className={className}>
      {PARTS.map(([part]) => (
        <path key={part} d={barPath(bars.filter((bar) => bar.part === part))} className={classes[part]} />
      ))}
      <path d={ghostPath(bars)} className={classes.ghost} />
      <path d={barPath(bars.filter((bar) => bar.isCritical && (bar.part === "send" || bar.part === "add")))} className={classes.critical} />
    </g>
  );
}

function legendOf(bars: readonly LaneBar[], hasModel: boolean, hasWhiskers: boolean) {
  const parts = PARTS.filter(([part]) => bars.some((bar) => bar.part === part));
  const entry = (text: string, className: string | undefined) => [text, <BarMark key={text} className={className} />] as const;
  return [
    ...parts.map(([part, text]) => entry(text, classes[part])),
    entry("longest chain", classes.critical),
    ...(hasModel || bars.some((bar) => bar.ghostPx !== null) ? [entry("the model's time", classes.ghost)] : []),
    ...(hasWhiskers ? [["the clock error", <line key="mark" x1="0" x2="16" y1="6" y2="6" className={classes.whisker} />] as const] : []),
  ];
}
