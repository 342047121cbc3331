import { useEffect, useMemo, useRef } from "react";
import classes from "../../charts/LineChart.module.css";
import { type PriceChartSetup, priceData, priceOptions } from "./priceChart";
import { usePlot } from "../../charts/usePlot";

/** Prices on a canvas, log2 over size or ranks; hidden from screen readers, so a table must have the same numbers. */
export function PriceChart(setup: PriceChartSetup) {
  const latest = useRef(setup);
  useEffect(() => {
    latest.current = setup;
  });
  const { model, measured, limits, x, metric } = setup;
  const data = useMemo(
    () => priceData({ model, measured, limits, x, metric, onHover: () => undefined }),
    [model, measured, limits, x, metric],
  );
  const { element } = usePlot(
    (target) => priceOptions(target, () => latest.current),
    data,
    JSON.stringify([model.lines.map((line) => line.algorithm), measured?.lines.map((line) => line.algorithm), limits?.[0] != null, x, metric]),
  );
  return <div ref={element} className={classes.chart} aria-hidden="true" />;
}
