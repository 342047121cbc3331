import { describe, expect, it } from "vitest";
import type { BenchmarkJob, JudgementKind } from "../../api/types";
import { aBest, aJob, anAttempt, aTraining } from "../../testing/fixtures";
import { matches, newsOf, nextSort, type Sort } from "./jobFilter";

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
    [{ judgement: "low" as const }, false],
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

describe("newsOf", () => {
  const failed = (id: number) => aJob({ id, state: "failed" });
  const news = (jobs: number[], changed: number[], sort?: Sort, hasMore = false) =>
    newsOf({ jobs: jobs.map(failed), filter: { state: "failed" }, sort, hasMore }, changed.map(failed)).entering.map((job) => job.id);

  it("has also older jobs that match by now, and none twice", () => {
    expect(news([50, 40], [45, 60, 40])).toEqual([45, 60]);
    expect(newsOf({ jobs: [failed(50)], filter: { state: "failed" }, sort: undefined, hasMore: false }, [aJob({ id: 51 })]).entering).toEqual([]);
  });

  it("leaves out what would only stand on a page that is not loaded", () => {
    expect(news([50, 40], [45, 39, 51], undefined, true)).toEqual([45, 51]);
    expect(news([40, 50], [45, 39, 51], "id", true)).toEqual([45, 39]);
    expect(news([50, 40], [45], "-busbw", true), "no speed").toEqual([]);
  });

  it("sorts by the speed that the server sorts by: what may be held up, whatever else was measured", () => {
    const measured = (id: number, change: Partial<BenchmarkJob> = {}) =>
      aJob({ id, state: "succeeded", summary: { ...aJob().summary, best: [aBest({ busbw_gb_per_s: id })] }, ...change });
    const disturbed = { attempts: [anAttempt({ disturbed_by: "It shared node n1 with job 7." })] };
    const changed = [measured(80), measured(90, disturbed), measured(95, { state: "failed" }), measured(10)];
    const { entering } = newsOf({ jobs: [measured(50)], filter: {}, sort: "-busbw", hasMore: true }, changed);
    expect(entering.map((job) => job.id)).toEqual([80]);
  });

  it("has a job once its judgement matches, about a second after its end", () => {
    const news = (judgement: JudgementKind | null) =>
      newsOf({ jobs: [aJob({ id: 5, judgement: "low" })], filter: { judgement: "low" }, sort: undefined, hasMore: false }, [aJob({ id: 9, state: "succeeded", judgement })]);
    expect(news(null)).toEqual({ entering: [], leaving: 0 });
    expect(news("as_expected").entering).toEqual([]);
    expect(news("low").entering.map(({ id }) => id)).toEqual([9]);
  });

  it("counts those shown that match no more", () => {
    const jobs = [failed(3), aJob({ id: 2, state: "running" }), aJob({ id: 1, state: "queued" })];
    const leaving = (filter: object): number => newsOf({ jobs, filter, sort: undefined, hasMore: false }, []).leaving;
    expect(leaving({ state: "running" })).toBe(2);
    expect(leaving({ kind: "benchmark" })).toBe(0);
  });
});
