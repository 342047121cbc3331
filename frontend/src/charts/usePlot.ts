import { useComputedColorScheme } from "@mantine/core";
import { type RefObject, useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/**
 * A uPlot in an element of the page: recreated when `identity` or the colour scheme changes, else only given new data.
 * `options` is called with the element when the plot is created, and need not stay the same function.
 */
export function usePlot(
  options: (element: HTMLElement) => uPlot.Options,
  data: uPlot.AlignedData,
  identity: string,
): { element: RefObject<HTMLDivElement | null>; plot: RefObject<uPlot | null> } {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ options, data });
  const scheme = useComputedColorScheme("light");

  useEffect(() => {
    latest.current = { options, data };
  });

  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const chart = new uPlot(latest.current.options(target), latest.current.data, target);
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: target.clientWidth, height: target.clientHeight }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [identity, scheme]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);

  return { element, plot };
}
