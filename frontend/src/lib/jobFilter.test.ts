import { describe, expect, it } from "vitest";
import { aJob, aTraining } from "./fixtures";
import { matches, nextSort } from "./jobFilter";

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
