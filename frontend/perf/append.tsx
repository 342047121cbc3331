/** A page for tests/web/job/test_live_chart.py: the real chart, given more points than the server ever sends at once. */
import { MantineProvider } from "@mantine/core";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import "../src/app/tokens.css";
import { LineChart } from "../src/charts/LineChart";
import type { Columns } from "../src/lib/sweep/lineColumns";

declare global {
  interface Window {
    /** Draws so many more points; the ms until the canvas is painted. */
    append: (points: number) => Promise<number>;
  }
}

const root = createRoot(document.getElementById("root") as HTMLElement);
const LINES = [{ name: "loss", colour: "--curve-training" }];
let shown = 0;

const columns = (count: number): Columns => {
  const x = Array.from({ length: count }, (_, index) => index);
  return { x, lines: [x.map((step) => 2 / (1 + step / 1000) + Math.sin(step) / 10)] };
};

const draw = (next: Columns): void =>
  root.render(
    <MantineProvider>
      <LineChart columns={next} lines={LINES} xLabel="steps" yLabel="loss" xRange={[0, next.x.length]} />
    </MantineProvider>,
  );

window.append = async (points) => {
  shown += points;
  const next = columns(shown);
  const began = performance.now();
  flushSync(() => draw(next));
  await Promise.resolve(); // uPlot paints in the microtask that it has queued
  return performance.now() - began;
};
