import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { TrainingSummary } from "../../api/types";
import type { Compared } from "../../lib/sweep/compare";
import { aTraining } from "../../testing/fixtures";
import { aPoint } from "../../testing/resultFixtures";
import { CompareTable } from "./CompareTable";
import { StepSplits } from "./StepSplits";

function compared(id: number, samplesPerSecond: number, stepUs: number): Compared {
  const job = aTraining({ id });
  const half = (5 * stepUs) / 1e6;
  const times = { step_seconds: 2 * half, timed_steps: 10, compute_seconds: half, communication_seconds: half, exposed_communication_seconds: half, input_seconds: 0 };
  const summary = { ...(job.summary as TrainingSummary), samples_per_second: samplesPerSecond, ...times };
  return { job, summary, points: [aPoint()], epochs: [] };
}

/** The text of the cells of a row. */
function row(html: string, name: string): string[] {
  const rows = html.split("<tr>").filter((text) => text.includes(`${name}</th>`));
  const cells = (rows[0] ?? "").matchAll(/<td[^>]*>(.*?)<\/td>/g);
  return [...cells].map(([, cell = ""]) => cell.replaceAll(/<[^>]+>/g, ""));
}

const [fast, slow] = [compared(1, 2000, 1000), compared(2, 1000, 2000)];

describe("CompareTable", () => {
  it("gives ratios to the base job, and none to itself", () => {
    const html = renderToStaticMarkup(<CompareTable items={[fast, slow]} base={fast} />);
    expect(row(html, "Throughput, mean (samples/s)")).toEqual(["2,000", "1,000 0.500×"]);
    expect(row(html, "Step, mean (ms)")).toEqual(["1.00", "2.00 2.00×"]);
    expect(row(html, "Time to accuracy")).toEqual(["–", "–"]);
  });
});

describe("StepSplits", () => {
  it("draws all bars on the scale of the longest, with the numbers beside", () => {
    const html = renderToStaticMarkup(<StepSplits items={[fast, slow]} />);
    const widths = [...html.matchAll(/width:([\d.]+)%/g)].map(([, width]) => Number(width));
    expect(widths).toEqual([0, 25, 0, 25, 0, 0, 50, 0, 50, 0]);
    expect(row(html, "job 2")).toEqual(["", "2.00", "0", "1.00", "0", "1.00", "0"]);
  });

  it("waits for the first steps", () => {
    expect(renderToStaticMarkup(<StepSplits items={[{ ...fast, summary: { ...fast.summary, timed_steps: null } }]} />)).toBe("");
  });
});
