import { useEffect, useMemo, useRef } from "react";
import type { Columns } from "../lib/sweep/lineColumns";
import { aligned, type LineChartSetup, lineOptions } from "./line";
import classes from "./LineChart.module.css";
import { usePlot } from "./usePlot";

/** Lines over steps or time on a canvas; hidden from screen readers, so a table must have the same numbers. */
export function LineChart({ columns, ...setup }: LineChartSetup & { columns: Columns }) {
  const latest = useRef(setup);
  useEffect(() => {
    latest.current = setup;
  });
  const { lines, xLabel, yLabel, isStack, yMax } = setup;
  const data = useMemo(() => aligned(columns, isStack), [columns, isStack]);
  const { element } = usePlot(
    (target) => lineOptions(target, () => latest.current),
    data,
    JSON.stringify([lines, xLabel, yLabel, isStack, yMax]),
  );
  return <div ref={element} className={classes.chart} aria-hidden="true" />;
}
