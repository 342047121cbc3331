import { useElementSize } from "@mantine/hooks";
import type { ReactNode, Ref } from "react";
import classes from "./LaneChart.module.css";
import { AXIS_PX, LEFT_PX, type Tick } from "./lanes";

const START_WIDTH_PX = 900;

/** The width that a picture of lanes has, and the ref of the element that decides it. */
export function useLanesWidth(): { ref: Ref<HTMLDivElement>; widthPx: number } {
  const { ref, width } = useElementSize<HTMLDivElement>();
  return { ref, widthPx: width || START_WIDTH_PX };
}

interface Props {
  box: Ref<HTMLDivElement>;
  widthPx: number;
  heightPx: number;
  ticks: readonly Tick[];
  /** The time of a tick with its unit; default: in milliseconds. */
  tickText?: (timeUs: number) => string;
  /** Each mark in words, with an SVG shape in a box of 16 by 12 pixels. */
  legend: readonly (readonly [string, ReactNode])[];
  /** The lanes in SVG. */
  children: ReactNode;
}

const milliseconds = (timeUs: number): string => `${(timeUs / 1000).toLocaleString("en", { maximumFractionDigits: 3 })} ms`;

/** Lanes over one axis of time, hidden from screen readers: each picture has a table and a caption with the same content. */
export function LaneChart({ box, widthPx, heightPx, ticks, tickText = milliseconds, legend, children }: Props) {
  const bottom = heightPx - AXIS_PX;
  return (
    <div ref={box} className={classes.box} aria-hidden="true">
      <div className={classes.legend}>
        {legend.map(([text, mark]) => (
          <span key={text}>
            <svg width="16" height="12">
              {mark}
            </svg>
            {text}
          </span>
        ))}
      </div>
      <svg width={widthPx} height={heightPx} className={classes.lanes}>
        {ticks.map(({ px, timeUs }) => (
          <g key={timeUs}>
            <line x1={px} x2={px} y1={0} y2={bottom} className={classes.grid} />
            <text x={px} y={bottom + 18} textAnchor="middle">
              {tickText(timeUs)}
            </text>
          </g>
        ))}
        {children}
      </svg>
    </div>
  );
}

/** The mark of a legend for bars of a class. */
export function BarMark({ className = "" }: { className: string | undefined }) {
  return <rect x="1" y="2" width="14" height="8" rx="2" className={className} />;
}

/** The name at the left of a lane; a detail is less prominent. */
export function LaneName({ yPx, isDetail = false, children }: { yPx: number; isDetail?: boolean; children: ReactNode }) {
  return (
    <text x={LEFT_PX - 10} y={yPx} textAnchor="end" className={isDetail ? undefined : classes.name}>
      {children}
    </text>
  );
}

/** The text in a bar that is `widthPx` wide, if it fits. */
export function BarText({ startPx, endPx, yPx, leastPx, children }: {
  startPx: number;
  endPx: number;
  /** The baseline. */
  yPx: number;
  leastPx: number;
  children: ReactNode;
}) {
  if (endPx - startPx < leastPx) return null;
  return (
    <text x={(startPx + endPx) / 2} y={yPx} textAnchor="middle" className={classes.inBar}>
      {children}
    </text>
  );
}
