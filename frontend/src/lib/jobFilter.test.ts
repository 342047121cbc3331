import { describe, expect, it } from "vitest";
import { aJob, aSimulation, aTraining } from "./fixtures";
import { matches, nextSort, overBaseline } from "./jobFilter";

const measured = (id: number, busbw: number) => {
  const best = [{ algorithm: "ring", transport: "mpi", busbw_gb_per_s: busbw, size_bytes: 8, in_place: false, is_unstable: false }];
  return aJob({ id, summary: { kind: "benchmark", best, sizes: [], ranks: 4, cores: null, wrong: 0, verdict: "", explanation: "" } });
};

describe("matches", () => {
  const job = aJob({ id: 42, name: "Nightly 100%", state: "running", user: "ada" });
  it.each([
    [{}, true],
    [{ state: "running" as const, user: "ada", q: "night" }, true],
    [{ q: "42" }, true],
    [{ q: "#42" }, true],
    [{ q: "4" }, false],
    [{ collective: "all_reduce", algorithm: "mpi" }, true],
    [{ algorithm: "tree" }, false],
    [{ kind: "training" as const }, false],
    [{ node: "n1" }, false],
  ])("says of %j: %s", (filter, is) => expect(matches(job, filter)).toBe(is));

  it("knows training by what sums its gradients", () => {
    const training = aTraining();
    expect(matches(training, { algorithm: training.spec.training?.all_reduce ?? "" })).toBe(true);
    expect(matches(training, { collective: "all_reduce" })).toBe(false);
  });
});

describe("nextSort", () => {
  it("goes the most, the least, and back", () => {
    expect(nextSort(undefined, "busbw")).toBe("-busbw");
    expect(nextSort("-busbw", "busbw")).toBe("busbw");
    expect(nextSort("busbw", "busbw")).toBeUndefined();
    expect(nextSort("busbw", "name")).toBe("name");
  });
  it("has the newest first where nothing else is said", () => {
    expect(nextSort(undefined, "id")).toBe("id");
    expect(nextSort("id", "id")).toBeUndefined();
  });
});

describe("overBaseline", () => {
  it("is a share of the baseline", () => expect(overBaseline(measured(2, 3), measured(1, 2))).toBeCloseTo(0.5));
  it("compares nothing with itself, with another number of ranks, or with a simulation", () => {
    expect(overBaseline(measured(1, 3), measured(1, 2))).toBeNull();
    expect(overBaseline(measured(2, 3), { ...measured(1, 2), ranks: 8 })).toBeNull();
    expect(overBaseline({ ...measured(2, 3), spec: aSimulation() }, measured(1, 2))).toBeNull();
    expect(overBaseline(aJob({ id: 2 }), measured(1, 2))).toBeNull();
    expect(overBaseline(measured(2, 3), undefined)).toBeNull();
  });
});
