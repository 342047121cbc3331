import { useMemo } from "react";
import uPlot from "uplot";
import type { LatencyCurve } from "../../../api/types";
import { curveColumns, shareText } from "../../../lib/sweep/percentiles";
import { decadeRange, decades } from "../../../lib/sweep/axes";
import classes from "../../../charts/SizeChart.module.css";
import { token } from "../../../charts/token";
import { usePlot } from "../../../charts/usePlot";

/** Time over the share of iterations, with a wide tail; hidden from screen readers, as a table has the same numbers. */
export function PercentileChart({ curve, colour }: { curve: LatencyCurve; colour: string }) {
  const data = useMemo(() => curveColumns(curve) as uPlot.AlignedData, [curve]);
  const { element } = usePlot((target) => options(target, colour, 2 * curve.count), data, `${colour} ${curve.count}`);
  return <div ref={element} className={classes.chart} aria-hidden="true" />;
}

function options(element: HTMLElement, colour: string, last: number): uPlot.Options {
  const font = `12px ${token(element, "--font")}`;
  const grid = { stroke: token(element, "--line"), width: 1 };
  const axis = { stroke: token(element, "--dim"), font, labelFont: font, grid, ticks: { show: false } };
  const stroke = token(element, colour);
  const stepped = uPlot.paths.stepped?.({ align: -1 });
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [14, 16, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false, y: false } },
    scales: {
      x: { time: false, distr: 3, log: 10, range: () => [1, Math.max(10, last)] },
      y: { distr: 3, log: 10, range: (_, min, max) => decadeRange(min, max) },
    },
    axes: [
      {
        ...axis, size: 28, gap: 6, labelSize: 18, label: "share of the iterations that took at most this time",
        splits: (_, __, min, max) => decades(min, max),
        values: (_, ticks) => ticks.map((tick) => shareText(1 - 1 / tick)),
        filter: (_, ticks) => ticks,
      },
      {
        ...axis, size: 62, labelSize: 20, label: "Time (µs)",
        splits: (_, __, min, max) => decades(min, max),
        values: (_, ticks) => ticks.map((tick) => tick.toLocaleString("en", { maximumFractionDigits: 6 })),
      },
    ],
    series: [{}, { stroke, width: 2, points: { show: false }, ...(stepped && { paths: stepped }) }],
  };
}
