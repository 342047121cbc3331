import { expect, it } from "vitest";
import type { TrainingPrediction } from "../../../api/types";
import { sumWords, trainingItems, baselineWords } from "./trainingPrediction";
import { overLimit } from "../TimeLimit";

const found: TrainingPrediction = {
  parameters: 84_746,
  gradient_bytes: 338_984,
  steps_total: 220,
  ideal_bubble: null,
  gradient_sum: { of: "gradients", algorithm: "ring", time_us: 123.4, pieces: 1, every_steps: 1, source: "The cost model." },
  baseline: { job_id: 7, samples_per_second: 2000, steps_seconds: 7.04 },
  usual: null,
  warnings: [],
  nodes: [{ node: "n1", ranks: 2 }],
};

it("says how large, how many and how long", () => {
  expect(trainingItems(found)).toEqual([
    ["Model", "84,746 parameters, a gradient of 331 KiB"],
    ["Steps", "220"],
    ["One all-reduce", "about 123 µs by ring"],
    ["Nodes", "n1 (2 ranks)"],
  ]);
  expect(sumWords(found)).toBe("The cost model. The part that overlaps with backward does not lengthen the step. This is a prediction, not a measurement.");
  expect(baselineWords({ job_id: 7, samples_per_second: 2000, steps_seconds: 7.04 })).toBe(
    "measured 2,000 samples/s for the same on as many ranks: the steps of this one would take about 7.0 s, with validation and checkpoints on top.",
  );
});

it("says how often local_sgd averages, and that nothing hides the average", () => {
  const average = { of: "parameters" as const, algorithm: "ring", time_us: 123.4, pieces: 2, every_steps: 8, source: "The cost model." };
  expect(trainingItems({ ...found, gradient_sum: average })[2]?.[1]).toBe("about 123 µs by ring, in 2 pieces, every 8 steps");
  expect(sumWords({ gradient_sum: average } as TrainingPrediction)).toBe("The cost model. This is a prediction, not a measurement.");
});

it("says how long the stages of a pipeline are idle", () => {
  expect(trainingItems({ ...found, gradient_sum: null, ideal_bubble: 0.2 })[2]).toEqual(["Pipeline", "each stage is idle for at least 20.0 % of a step"]);
});

it("promises nothing that is not known", () => {
  const little = { ...found, steps_total: null, gradient_sum: null, nodes: [] };
  expect(trainingItems(little).map(([name]) => name)).toEqual(["Model", "Steps"]);
  expect(trainingItems(little)[1]?.[1]).toBe("not known: only the nodes have the files");
  expect(sumWords(little)).toBeNull();
  expect(baselineWords({ job_id: 7, samples_per_second: 2000, steps_seconds: null })).toBe("measured 2,000 samples/s for the same on as many ranks.");
});

it("says that a step waits for the sums of divided layers", () => {
  const sum = { of: "activations" as const, algorithm: "ring", time_us: 1234, pieces: 8, every_steps: 1, source: "By the model." };
  expect(trainingItems({ ...found, gradient_sum: sum })[2]).toEqual(["Sums of a step", "about 1234 µs by ring, in 8 pieces"]);
  expect(sumWords({ ...found, gradient_sum: sum })).toContain("A step waits for all of these sums.");
});

it("says which time limit a job needs that would take longer than its own", () => {
  expect(overLimit(1500, 600)).toEqual(["This takes about 25 min, and the job is stopped after 10 min: set Time limit to 1800 s, or ask for less."]);
  expect([overLimit(600, 600), overLimit(null, 600), overLimit(undefined, 600)]).toEqual([[], [], []]);
  expect(overLimit(1e9, 600)[0]).toContain("set Time limit to 604800 s");
});
