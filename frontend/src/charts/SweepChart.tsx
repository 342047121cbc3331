import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Metric } from "../lib/search";
import { chartOptions } from "./options";
import { metricOf, type Sweep } from "./series";
import classes from "./SweepChart.module.css";

interface Props {
  sweep: Sweep;
  metric: Metric;
  /** The ends of the size axis. */
  range: readonly [number, number];
  hovered: number | null;
  onHover: (sizeBytes: number | null) => void;
}

/** Lines over message size on a canvas. What it shows is also in the caption and the tables: it is hidden from readers. */
export function SweepChart({ sweep, metric, range: [from, to], hovered, onHover }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ sweep, onHover });
  const scheme = useComputedColorScheme("light");
  const lines = sweep.series.map((item) => `${item.algorithm}/${item.inPlace}`).join();

  useEffect(() => {
    latest.current = { sweep, onHover };
  });

  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const setup = {
      element: target,
      metric,
      series: latest.current.sweep.series,
      range: [from, to] as [number, number],
      onHover: (index: number | null) => {
        const { sweep: now, onHover: tell } = latest.current;
        tell(index === null ? null : (now.sizes.filter((size) => size > 0)[index] ?? null));
      },
    };
    const chart = new uPlot(chartOptions(setup), columns(latest.current.sweep, metric), target);
    plot.current = chart;
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: target.clientWidth, height: target.clientHeight }),
    );
    observer.observe(target);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [metric, lines, from, to, scheme]);

  useEffect(() => {
    plot.current?.setData(columns(sweep, metric));
  }, [sweep, metric]);

  useEffect(() => {
    const chart = plot.current;
    if (!chart || chart.root.matches(":hover")) return;
    const left = hovered !== null && hovered > 0 ? chart.valToPos(hovered, "x") : -10;
    chart.setCursor({ left, top: left < 0 ? -10 : 0 }, false);
  }, [hovered]);

  return <div ref={element} className={classes.chart} aria-hidden="true" />;
}

/** Size 0 has no place on a logarithmic axis: it stays in the tables. */
function columns(sweep: Sweep, metric: Metric): uPlot.AlignedData {
  const isShown = sweep.sizes.map((size) => size > 0);
  const keep = <T,>(items: readonly T[]): T[] => items.filter((_, i) => isShown[i]);
  return [
    keep(sweep.sizes),
    ...sweep.series.map((item) => keep(item.rows.map((row) => (row ? metricOf(row, metric) : null)))),
  ];
}
