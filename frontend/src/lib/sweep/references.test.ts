import { describe, expect, it } from "vitest";
import type { ComparedRow, Comparison, JobPrediction } from "../../api/types";
import { sweepLines } from "./series";
import { aRow } from "../../testing/resultFixtures";
import type { SizeLine } from "./lines";
import type { Shown } from "./series";
import { baseWords, distanceWords, elsewhereWords, predictedLines, limitRule, referenceLines, referenceWords } from "./references";

const row = { algorithm: "ring", chosen_algorithm: null, size_bytes: 1024, time_us: 5, algbw_gb_per_s: 2, busbw_gb_per_s: 3 };

function found(change: Partial<JobPrediction> = {}): JobPrediction {
  return {
    model: { rows: [row], source: "The cost model with its usual parameters.", median_error: null, knees: [{ algorithm: "ring", size_bytes: 512.3 }], unfitted: [], unpredicted: [] },
    limit: { busbw_gb_per_s: 12, because: "The slowest card does 96 Gbit/s." },
    baseline: [
      { algorithm: "ring", in_place: false, size_bytes: 1024, median_gb_per_s: 2.5, least_gb_per_s: 2, runs: 3, is_disturbed: false },
      { algorithm: "ring", in_place: true, size_bytes: 1024, median_gb_per_s: 6, least_gb_per_s: 2, runs: 5, is_disturbed: false },
    ],
    needed_runs: 3,
    ...change,
  };
}

const inMean = (metric: Shown["metric"]): Shown => ({ metric, statistic: "mean", limit: 12 });

const measured = sweepLines({ sizes: [1024], series: [{ algorithm: "ring", inPlace: false, rows: [aRow({ busbw_gb_per_s: 4 })] }] }, { metric: "busbw", statistic: "mean" });

describe("the lines beside the measured ones", () => {
  it("are the model's, in the metric that is shown", () => {
    const at = (metric: "busbw" | "algbw" | "time" | "limit") => referenceLines(found(), "model", inMean(metric), false)[0]?.points;
    expect([at("busbw"), at("algbw"), at("time"), at("limit")]).toEqual([[[1024, 3]], [[1024, 2]], [[1024, 5]], [[1024, 25]]]);
  });

  it("are those of earlier runs with the same buffers, of which bus bandwidths are known", () => {
    expect(referenceLines(found(), "baseline", inMean("busbw"), true).map((line) => [line.name, line.points])).toEqual([["ring, baseline", [[1024, 6]]]]);
    expect(referenceLines(found(), "baseline", inMean("limit"), false)[0]?.points[0]?.[1]).toBeCloseTo(20.83);
    expect(referenceLines(found(), "baseline", inMean("time"), false)).toEqual([]);
  });

  it("are none of earlier runs beside medians, as of those only means are known", () => {
    expect(referenceLines(found(), "baseline", { ...inMean("busbw"), statistic: "median" }, true)).toEqual([]);
    expect(referenceWords(found({ limit: null }), "baseline", "median")).toBe(" The baseline has means only, so it is not drawn beside medians.");
  });

  it("can be left out, or not be known", () => {
    expect(referenceLines(found(), "nothing", inMean("busbw"), false)).toEqual([]);
    expect(referenceLines(undefined, "model", inMean("busbw"), false)).toEqual([]);
    expect(referenceLines(found({ model: null }), "model", inMean("busbw"), false)).toEqual([]);
  });
});

describe("the model", () => {
  it("has a knee if the server gives one", () => {
    expect(referenceLines(found(), "model", inMean("busbw"), false)[0]?.kneeBytes).toBe(512.3);
    expect(predictedLines({ ...modelOf(found()), knees: [] })[0]?.kneeBytes).toBeUndefined();
  });

  it("says at its lines and below the picture that its parameters are from another machine", () => {
    const model = { ...modelOf(found()), rows: [row, { ...row, algorithm: "mpi" }], unfitted: ["ring"] };
    const lines = referenceLines(found({ model }), "model", inMean("busbw"), false);
    expect(lines.map(({ name, kneeBytes }) => [name, kneeBytes])).toEqual([["ring, model of another machine", 512.3], ["mpi, model", undefined]]);
    expect(elsewhereWords(lines)).toBe(" The model of ring has parameters from another machine.");
    expect(elsewhereWords(referenceLines(found(), "model", inMean("busbw"), false))).toBe("");
  });

  it("has a band as wide as its fit was off, and none without a fit", () => {
    const [[size, low, high] = []] = predictedLines({ ...modelOf(found()), median_error: Math.log(2) })[0]?.band ?? [];
    expect([size, low, high]).toEqual([1024, 1.5, 6]);
    expect(predictedLines(modelOf(found()))[0]?.band).toBeUndefined();
  });
});

function modelOf({ model }: JobPrediction) {
  if (!model) throw new Error("There is no model.");
  return model;
}

describe("the baseline", () => {
  const against = { ratio: 0.5, noise: 0.1, is_clear: true } as ComparedRow["against"];
  const row = (change: Partial<ComparedRow>): ComparedRow => ({
    against: null, algorithm: "ring", busbw_gb_per_s: 2, in_place: false, iterations: 20, size_bytes: 1024, time_us: 7, median_us: null, p5_us: 6, p50_us: 3.5, p95_us: 8, is_unstable: false, ...change,
  });
  const compared = (obstacles: string[] = []): Comparison => ({
    base: 3,
    jobs: [
      { job_id: 3, obstacles: [], caveats: [], interpolated: [], rows: [row({}), row({ algorithm: "mpi" })] },
      { job_id: 4, obstacles, caveats: [], interpolated: [], rows: [row({ against })] },
    ],
  });
  const linesOf = (metric: Shown["metric"], statistic: Shown["statistic"] = "mean") =>
    referenceLines(found(), "base", { ...inMean(metric), statistic }, false, compared()).map((line) => [line.name, line.points]);

  it("has a grey line for each algorithm that the job has too", () => {
    expect(linesOf("busbw")).toEqual([["ring, base job", [[1024, 2]]]]);
    expect(linesOf("time")).toEqual([["ring, base job", [[1024, 7]]]]);
    expect(linesOf("algbw")).toEqual([]);
  });

  it("has its medians beside medians, so that equal rows lie on each other", () => {
    expect(linesOf("busbw", "median")).toEqual([["ring, base job", [[1024, 4]]]]);
    expect(linesOf("time", "median")).toEqual([["ring, base job", [[1024, 3.5]]]]);
    expect(linesOf("limit", "median")[0]?.[1]).toEqual([[1024, 400 / 12]]);
    expect(baseWords(compared(), { ...inMean("busbw"), statistic: "median" }, false)).toContain("Grey: the medians of job 3, the base job. Against job 3:");
  });

  it("is described in words, with the reason if it measured something else", () => {
    expect(baseWords(compared(), inMean("busbw"), false)).toBe(
      " Grey: the means of job 3, the base job. Against job 3: of 1 row 1 faster, 0 slower, 0 without a clear difference.",
    );
    expect(baseWords(compared(["ranks is 4, and 2 in the base job"]), inMean("busbw"), false)).toBe(
      " Job 3, the base job, does not measure the same thing: ranks is 4, and 2 in the base job.",
    );
    expect(referenceLines(found(), "base", inMean("busbw"), false, compared(["ranks"]))).toEqual([]);
    expect(baseWords(undefined, inMean("busbw"), false)).toBe("");
  });
});

describe("the limit", () => {
  it("is a rule where it is of the order of the values", () => {
    expect(limitRule(found(), "busbw", measured)).toEqual({ value: 12, label: "limit 12.0 GB/s" });
    expect(limitRule(found(), "time", measured)).toBeUndefined();
    expect(limitRule(found({ limit: { busbw_gb_per_s: 450, because: "" } }), "busbw", measured)).toBeUndefined();
    expect(limitRule(found({ limit: null }), "busbw", measured)).toBeUndefined();
  });
});

it("says in one sentence that the model is far from what was measured", () => {
  const line = (name: string, points: SizeLine["points"]) => measured.slice(0, 1).map((found) => ({ ...found, name, points }));
  const pair = (value: number, model: number) =>
    distanceWords(line("ring, model", [[8, model], [16, null]]), line("ring", [[8, value], [16, value]]));
  expect(pair(0.5, 32)).toBe(" The measured values are about 1.56 % of those of the model.");
  expect(pair(30, 10)).toBe(" The measured values are about 3.00 times those of the model.");
  expect([pair(6, 10), pair(0, 10), distanceWords([], measured)]).toEqual(["", "", ""]);
});

it("says where they come from", () => {
  expect(referenceWords(found(), "model", "mean")).toBe(
    " Dashed: the cost model with its usual parameters. S* marks where half of the model’s time is latency: ring 512 B. The slowest card does 96 Gbit/s. That allows 12.0 GB/s.",
  );
  expect(referenceWords(found(), "model", "mean", true)).toContain("the table has its values.");
  expect(referenceWords(found({ limit: null }), "baseline", "mean")).toBe(" Grey: the median of the means of 3 to 5 earlier good runs of the same row.");
  expect(referenceWords(found({ baseline: [], limit: null }), "baseline", "mean")).toContain("There is no baseline yet");
  expect(referenceWords(undefined, "model", "mean")).toBe("");
});
