import { useEffect, useMemo, useRef } from "react";
import type uPlot from "uplot";
import { joined } from "../lib/sweep/lineColumns";
import classes from "./SizeChart.module.css";
import { sizeOptions } from "./sizeLines";
import type { Rule, SizeLine } from "../lib/sweep/lines";
import { usePlot } from "./usePlot";

interface Props {
  lines: readonly SizeLine[];
  yLabel: string;
  isLog: boolean;
  /** The ends of the size axis. */
  range: readonly [number, number];
  rule?: Rule | undefined;
  hovered?: number | null;
  onHover?: (sizeBytes: number | null) => void;
  chosen?: number | null;
  onChoose?: (sizeBytes: number) => void;
  /** The ends of the sizes that the page speaks about; the others are drawn pale. */
  brushed?: readonly [minBytes: number, maxBytes: number] | null;
  /** Called with the smallest and the largest size over which the pointer was drawn. */
  onBrush?: ((minBytes: number, maxBytes: number) => void) | undefined;
  /** Half as high, for use beside a form. */
  isSmall?: boolean;
}

/** Lines over message size on a canvas. A caption and a table have the same content, so it is hidden from screen readers. */
export function SizeChart(props: Props) {
  const { lines, yLabel, isLog, range, rule, hovered = null, onHover, chosen = null, onChoose, brushed = null, onBrush, isSmall = false } = props;
  const columns = useMemo(
    () => joined(lines.map((line) => line.points.filter(([size]) => size > 0))),
    [lines],
  );
  const data = useMemo(() => [columns.x, ...columns.lines] as uPlot.AlignedData, [columns]);
  const setup = {
    lines, yLabel, isLog, range, rule, chosen, brushed, onBrush,
    onHover: (index: number | null) => onHover?.(index === null ? null : (columns.x[index] ?? null)),
    onChoose: (index: number) => onChoose?.(columns.x[index] ?? 0),
  };
  const latest = useRef(setup);
  useEffect(() => {
    latest.current = setup;
  });
  const besides = JSON.stringify(lines.map(({ band, kneeBytes, unstable }) => [band, kneeBytes, unstable]));
  const looks = lines.map(({ name, colour, dash, width, mark, isNamed }) => [name, colour, dash, width, mark, isNamed]);
  const { element, plot } = usePlot(
    (target) => sizeOptions(target, () => latest.current),
    data,
    JSON.stringify([looks, yLabel, isLog, range, rule, onBrush !== undefined]),
  );

  useEffect(() => {
    const chart = plot.current;
    if (!chart || chart.root.matches(":hover")) return;
    const left = hovered !== null && hovered > 0 ? chart.valToPos(hovered, "x") : -10;
    chart.setCursor({ left, top: left < 0 ? -10 : 0 }, false);
  }, [hovered, plot]);

  const [brushedMin, brushedMax] = brushed ?? [];
  useEffect(() => plot.current?.redraw(false), [chosen, brushedMin, brushedMax, besides, plot]);

  return (
    <div
      ref={element}
      className={classes.chart}
      aria-hidden="true"
      data-small={isSmall || undefined}
      data-choosable={onChoose ? true : undefined}
      data-hint={onBrush && !brushed ? "Drag across sizes to compare them alone" : undefined}
    />
  );
}
