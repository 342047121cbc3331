import { useElementSize } from "@mantine/hooks";
import { useMemo } from "react";
import {
  barPath, ghostPath, type LaneBar, LANES_AXIS_PX, LANES_LEFT_PX, MODEL_BAR_PX, moveLanes, type Part, whiskerPath,
} from "./moveLanes";
import { formatSeconds } from "../../lib/amount";
import { type Move, type Run, stepEndUs } from "../../lib/moves";
import classes from "./Lanes.module.css";

const START_WIDTH_PX = 900;
/** In the order in which they are drawn. */
const PARTS: readonly (readonly [Part, string])[] = [["wait", "waits"], ["send", "sends"], ["receive", "receives"], ["add", "adds"]];

/** A lane for each rank on one axis of time, with the playhead. Hidden from screen readers: the table has the same numbers. */
export function LanePicture({ run, step, critical }: { run: Run; step: number; critical: readonly Move[] }) {
  const { ref, width } = useElementSize();
  const shown = width || START_WIDTH_PX;
  const { bars, lanes, ticks, heightPx, model, lanesPx, at } = useMemo(() => moveLanes(run, shown, critical), [run, shown, critical]);
  const bottom = heightPx - LANES_AXIS_PX;
  const head = at(stepEndUs(run, step));
  const whiskers = whiskerPath(bars, lanesPx);
  const done = new Set(run.steps.slice(0, step).flat());
  return (
    <div ref={ref} className={classes.lanesBox} aria-hidden="true">
      <Legend bars={bars} hasModel={model !== null} hasWhiskers={whiskers !== ""} />
      <svg width={shown} height={heightPx} className={classes.lanes}>
        {ticks.map(({ px, timeUs }) => (
          <g key={timeUs}>
            <line x1={px} x2={px} y1={0} y2={bottom} className={classes.grid} />
            <text x={px} y={bottom + 18} textAnchor="middle">
              {formatSeconds(timeUs / 1e6)}
            </text>
          </g>
        ))}
        {lanes.map(({ rank, middlePx }) => (
          <text key={rank} x={LANES_LEFT_PX - 10} y={middlePx + 4} textAnchor="end" className={classes.rank}>
            {run.ranks > 16 ? rank : `rank ${rank}`}
          </text>
        ))}
        <Bars bars={bars.filter((bar) => !done.has(bar.move))} className={classes.later} />
        <Bars bars={bars.filter((bar) => done.has(bar.move))} />
        <path d={whiskers} className={classes.whisker} />
        {model && (
          <>
            <text x={LANES_LEFT_PX - 10} y={model.topPx + MODEL_BAR_PX - 3} textAnchor="end" className={classes.rank}>
              model
            </text>
            <rect x={LANES_LEFT_PX} y={model.topPx} width={model.widthPx} height={MODEL_BAR_PX} className={classes.ghost} />
          </>
        )}
        <line x1={head} x2={head} y1={0} y2={bottom} className={classes.head} />
      </svg>
    </div>
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

function Legend({ bars, hasModel, hasWhiskers }: { bars: readonly LaneBar[]; hasModel: boolean; hasWhiskers: boolean }) {
  const parts = PARTS.filter(([part]) => bars.some((bar) => bar.part === part));
  const marks = [
    ...parts.map(([part, text]) => [text, <rect key="mark" x="1" y="2" width="14" height="8" className={classes[part]} />] as const),
    ["longest chain", <rect key="mark" x="1" y="2" width="14" height="8" className={classes.critical} />] as const,
    ...(hasModel || bars.some((bar) => bar.ghostPx !== null)
      ? [["the model's time", <rect key="mark" x="1" y="2" width="14" height="8" className={classes.ghost} />] as const]
      : []),
    ...(hasWhiskers ? [["the clock error", <line key="mark" x1="0" x2="16" y1="6" y2="6" className={classes.whisker} />] as const] : []),
  ];
  return (
    <div className={classes.legend}>
      {marks.map(([text, mark]) => (
        <span key={text}>
          <svg width="16" height="12">
            {mark}
          </svg>
          {text}
        </span>
      ))}
    </div>
  );
}
