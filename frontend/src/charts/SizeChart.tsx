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
  /** Half as high, for use beside a form. */
  isSmall?: boolean;
}

/** Lines over message size on a canvas. A caption and a table have the same content, so it is hidden from screen readers. */
export function SizeChart({ lines, yLabel, isLog, range, rule, hovered = null, onHover, chosen = null, onChoose, isSmall = false }: Props) {
  const columns = useMemo(
    () => joined(lines.map((line) => line.points.filter(([size]) => size > 0))),
    [lines],
  );
  const data = useMemo(() => [columns.x, ...columns.lines] as uPlot.AlignedData, [columns]);
  const setup = {
    lines, yLabel, isLog, range, rule, chosen,
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
    JSON.stringify([looks, yLabel, isLog, range, rule]),
  );

  useEffect(() => {
    const chart = plot.current;
    if (!chart || chart.root.matches(":hover")) return;
    const left = hovered !== null && hovered > 0 ? chart.valToPos(hovered, "x") : -10;
    chart.setCursor({ left, top: left < 0 ? -10 : 0 }, false);
  }, [hovered, plot]);

  useEffect(() => plot.current?.redraw(false), [chosen, besides, plot]);

  return (
    <div
      ref={element}
      className={classes.chart}
      aria-hidden="true"
      data-small={isSmall || undefined}
      data-choosable={onChoose ? true : undefined}
    />
  );
}
