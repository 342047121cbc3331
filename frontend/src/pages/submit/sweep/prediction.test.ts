import { expect, it } from "vitest";
import type { Benchmark, Prediction } from "../../../api/types";
import { aJob, aSimulation } from "../../../testing/fixtures";
import { predictionItems, predictionNotes, predictionWords } from "./prediction";

const found: Prediction = {
  model: { rows: [], source: "The cost model, fitted to 40 measured rows.", median_error: 0.08, knees: [], unfitted: [], unpredicted: [] },
  limit: null,
  operations_seconds: 75,
  buffer_bytes: 2 * 67_108_864,
  nodes: [{ node: "n1", ranks: 4 }],
  warnings: [],
};

it("says how long, how much and where", () => {
  expect(predictionItems(found, aJob().spec)).toEqual([
    ["Operations take", "about 1 min 15 s"],
    ["Buffers of a rank", "128 MiB"],
    ["Nodes", "n1 (4 ranks)"],
  ]);
  expect(predictionWords(found)).toBe(
    "The cost model, fitted to 40 measured rows. Nothing here is measured.",
  );
  expect(predictionNotes(found)).toBe("Half of these rows lie within 8.00 % of it. The band shows that.");
});

it("counts minutes of each GPU where only GPUs will do", () => {
  const { spec } = aJob();
  const gpuMinutes = (change: Partial<Benchmark>, seconds: number | null = 75): string | undefined => {
    const asked = { ...spec, benchmark: { ...spec.benchmark, ...change } };
    return predictionItems({ ...found, operations_seconds: seconds }, asked).find(([name]) => name === "On GPUs")?.[1];
  };
  expect(spec.placement.ranks).toBe(4);
  expect(gpuMinutes({ device: "cuda" })).toBe("about 5.00 GPU-minutes");
  expect(gpuMinutes({ algorithms: ["ring", "nccl"] })).toBe("about 5.00 GPU-minutes");
  expect([gpuMinutes({}), gpuMinutes({ device: "cuda" }, null)]).toEqual([undefined, undefined]);
});

it("promises nothing that is not known", () => {
  expect(predictionItems({ ...found, operations_seconds: null }, aJob().spec)[0]).toEqual(["Operations take", "not known"]);
});

it("knows that a simulation moves nothing", () => {
  const limit = { busbw_gb_per_s: 25, because: "The slowest link." };
  expect(predictionItems({ ...found, limit, operations_seconds: null }, aSimulation())).toEqual([
    ["Operations take", "no time: nothing is moved"],
    ["Limit", "25.0 GB/s"],
  ]);
  expect(predictionNotes({ ...found, limit })).toContain("The slowest link.");
});
