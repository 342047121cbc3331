import { describe, expect, it } from "vitest";
import type { JobView } from "../api/types";
import { aJob, anAttempt, aTraining } from "../testing/fixtures";
import { mergeById, newerJob, upsertJob, withActive, withChanged } from "./merge";

const row = (id: number, text = "") => ({ id, text });

describe("mergeById", () => {
  it("appends what is newer", () => expect(mergeById([row(1)], [row(2), row(3)])).toEqual([row(1), row(2), row(3)]));

  it("keeps one of each where a snapshot and a delta overlap", () => {
    expect(mergeById([row(1), row(2), row(3)], [row(2, "b"), row(4)])).toEqual([row(1), row(2, "b"), row(3), row(4)]);
  });

  it("sorts a late delta into its place", () => expect(mergeById([row(1), row(5)], [row(3)]).map((r) => r.id)).toEqual([1, 3, 5]));

  it("gives a new list, so that a chart notices", () => {
    const current = [row(1)];
    expect(mergeById(current, [])).not.toBe(current);
    expect(mergeById(current, [])).toEqual(current);
  });
});

describe("newerJob", () => {
  it("never leaves an end state", () => {
    const done = aJob({ state: "succeeded" });
    expect(newerJob(done, aJob({ state: "stopping" }))).toBe(done);
  });

  it("never goes back to fewer rows of the same attempt", () => {
    const ahead = aJob({ progress: { done: 5, total: 10 } });
    expect(newerJob(ahead, aJob({ progress: { done: 3, total: 10 } }))).toBe(ahead);
  });

  it("starts again from no rows with a new attempt", () => {
    const before = aJob({ progress: { done: 5, total: 10 } });
    const retry = aJob({ progress: { done: 0, total: 10 }, attempts: [anAttempt({ id: 9 })] });
    expect(newerJob(before, retry)).toBe(retry);
  });

  it("lets training go back to its checkpoint", () => {
    const back = aTraining({ progress: { done: 8, total: 25 } });
    expect(newerJob(aTraining(), back)).toBe(back);
  });

  it("takes the incoming end state whatever its rows", () => {
    const failed = aJob({ state: "failed" });
    expect(newerJob(aJob({ progress: { done: 5, total: 10 } }), failed)).toBe(failed);
  });

  it("keeps a judgement that a view read before does not have", () => {
    const judged = aJob({ state: "succeeded", judgement: "low" });
    const edited = aJob({ state: "succeeded", judgement: null, note: "a note" });
    expect(newerJob(judged, edited)).toMatchObject({ judgement: "low", note: "a note" });
    expect(newerJob(edited, judged)).toBe(judged);
  });
});

describe("upsertJob", () => {
  const jobs = [aJob({ id: 3 }), aJob({ id: 2 })];

  it("replaces in place", () => {
    const after = upsertJob(jobs, aJob({ id: 2, state: "failed" }));
    expect(after.map((job) => [job.id, job.state])).toEqual([[3, "running"], [2, "failed"]]);
  });

  it("puts a new job on top", () => expect(upsertJob(jobs, aJob({ id: 4 })).map((job) => job.id)).toEqual([4, 3, 2]));

  it("leaves out an old job that is on another page", () => {
    expect(upsertJob(jobs, aJob({ id: 1 })).map((job) => job.id)).toEqual([3, 2]);
  });
});

it("keeps jobs that changed however old they are, the last one first", () => {
  const changed = [50, 45, 50].reduce<JobView[]>((jobs, id) => withChanged(jobs, aJob({ id })), []);
  expect(changed.map((job) => job.id)).toEqual([50, 45]);
  expect(withChanged([aJob({ state: "succeeded" })], aJob({ state: "running" }))[0]?.state).toBe("succeeded");
});

it("keeps the jobs that have a gang, newest first", () => {
  const [older, newer] = [aJob({ id: 1, state: "running" }), aJob({ id: 7, state: "starting" })];
  expect(withActive([newer], older)).toEqual([newer, older]);
  expect(withActive([newer, older], { ...newer, state: "succeeded" })).toEqual([older]);
  expect(withActive([older], aJob({ id: 9, state: "queued" }))).toEqual([older]);
});
