import { useComputedColorScheme } from "@mantine/core";
import { type RefObject, useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/**
 * A uPlot in an element of the page: recreated when `identity` or the colour scheme changes, else only given new data.
 * `options` is called with the element when the plot is created, and need not stay the same function. A plot is created
 * after the page was painted, so that no key or click waits for it; until then the one before it stays.
 */
export function usePlot(
  options: (element: HTMLElement) => uPlot.Options,
  data: uPlot.AlignedData,
  identity: string,
): { element: RefObject<HTMLDivElement | null>; plot: RefObject<uPlot | null> } {
  const element = useRef<HTMLDivElement>(null);
  const shown = useRef<uPlot | null>(null);
  // Null while the shown one is that of an earlier identity, which new data do not fit.
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ options, data });
  const scheme = useComputedColorScheme("light");

  useEffect(() => {
    latest.current = { options, data };
  });

  useEffect(() => {
    const cancel = afterPaint(() => {
      const target = element.current;
      if (!target) return;
      shown.current?.destroy();
      shown.current = plot.current = new uPlot(latest.current.options(target), latest.current.data, target);
    });
    return () => {
      cancel();
      plot.current = null;
    };
  }, [identity, scheme]);

  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const observer = new ResizeObserver(() => shown.current?.setSize({ width: target.clientWidth, height: target.clientHeight }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      shown.current?.destroy();
      shown.current = null;
    };
  }, []);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);

  return { element, plot };
}

/** Calls `work` once the next frame is painted; in the background that is when the page is next looked at. */
function afterPaint(work: () => void): () => void {
  let timer: number | undefined;
  const frame = requestAnimationFrame(() => (timer = window.setTimeout(work)));
  return () => {
    cancelAnimationFrame(frame);
    window.clearTimeout(timer);
  };
}
