import type { InspectorPoint, InspectorSeries } from "../../../api/types";
import { niceTicks } from "../../../charts/lanes";
import { useWidthStep } from "../../../components/hooks/useWidthStep";
import { plural, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { scaleOf } from "./scale";
import classes from "../Diagnose.module.css";

const STEPS = [721] as const;
const HEIGHT = 190;
const LEFT = 46;
const BOTTOM = 34;

/** The records of a series by operation, with the median and the drops; the table of the series has the same figures. */
export function SeriesChart({ series }: { series: InspectorSeries }) {
  const width = useWidthStep(STEPS) > 0 ? 480 : 330;
  const { points } = series;
  const ticks = niceTicks(series.highest_busbw_gb_per_s * 1.05 || 1, 420);
  const top = Math.max(series.highest_busbw_gb_per_s * 1.08, ticks.at(-1) ?? 0) || 1;
  const y = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - 10);
  const x = scaleOf(points.map(({ operation }) => operation), LEFT + 10, width - 16);
  const lowest = points.reduce<InspectorPoint | null>((low, point) => (point.is_drop && (!low || point.busbw_gb_per_s < low.busbw_gb_per_s) ? point : low), null);
  const [first, last] = [points[0]?.operation, points.at(-1)?.operation];
  return (
    <svg
      className={classes.picture}
      role="img"
      aria-label={`Bus bandwidth of ${series.collective} of ${formatSize(series.size_bytes)}: ${plural(series.records, "record")}, ${plural(series.drops, "drop")}`}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={LEFT - 6} y={y(tick) + 4} textAnchor="end" className={classes.axis}>{threeDigits(tick)}</text>
        </g>
      ))}
      <text x="0" y="9" className={classes.axis}>GB/s</text>
      {first !== undefined && <text x={x(first)} y={HEIGHT - 18} textAnchor={first === last ? "middle" : "start"} className={classes.axis}>{first}</text>}
      {last !== undefined && last !== first && <text x={x(last)} y={HEIGHT - 18} textAnchor="end" className={classes.axis}>{last}</text>}
      <text x={(LEFT + width) / 2} y={HEIGHT - 4} textAnchor="middle" className={classes.axis}>operation</text>
      <line x1={LEFT} x2={width} y1={y(series.median_busbw_gb_per_s)} y2={y(series.median_busbw_gb_per_s)} stroke="var(--dim)" strokeDasharray="5 4" />
      {points.map((point, i) => (
        <Point key={i} point={point} x={x(point.operation)} y={y(point.busbw_gb_per_s)} />
      ))}
      {lowest && (
        <text
          x={x(lowest.operation) + (x(lowest.operation) > width / 2 ? -9 : 9)}
          y={y(lowest.busbw_gb_per_s) + 4}
          textAnchor={x(lowest.operation) > width / 2 ? "end" : "start"}
          className={classes.drop}
        >
          {threeDigits(lowest.busbw_gb_per_s)}, rank {lowest.rank}
        </text>
      )}
    </svg>
  );
}

function Point({ point, x, y }: { point: InspectorPoint; x: number; y: number }) {
  const title = `Operation ${point.operation}, rank ${point.rank}${point.host ? ` on ${point.host}` : ""}: ${threeDigits(point.busbw_gb_per_s)} GB/s in ${threeDigits(point.time_us)} µs`;
  if (point.is_drop) {
    return (
      <path d={`M${x - 5} ${y - 4.5}H${x + 5}L${x} ${y + 4.5}Z`} fill="var(--bad)">
        <title>{title}</title>
      </path>
    );
  }
  return (
    <circle cx={x} cy={y} r="2.6" fill={point.is_contradictory ? "var(--surface)" : "var(--algorithm-ring)"} stroke="var(--algorithm-ring)">
      <title>{title}</title>
    </circle>
  );
}
