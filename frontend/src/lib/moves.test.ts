import { describe, expect, it } from "vitest";
import { aRingOfThree } from "../testing/exampleFixture";
import { contributions, criticalPath, phaseJump, phasesOf, runOf, stepEndUs } from "./moves";

const run = runOf(aRingOfThree());

it("knows the phases, and jumps to their ends", () => {
  expect(phasesOf(run)).toEqual([
    { name: "reduce_scatter", first: 1, last: 2 },
    { name: "all_gather", first: 3, last: 4 },
  ]);
  expect([0, 1, 2, 4].map((step) => phaseJump(run, step, 1))).toEqual([2, 2, 4, 4]);
  expect([0, 1, 2, 4].map((step) => phaseJump(run, step, -1))).toEqual([0, 0, 0, 2]);
});

describe("contributions", () => {
  it("begin with each rank's own, are whole once on one rank after reduce-scatter, and everywhere at the end", () => {
    expect(contributions(run, 0)).toEqual([[1, 1, 1], [1, 1, 1], [1, 1, 1]]);
    expect(contributions(run, 1)).toEqual([[1, 1, 2], [2, 1, 1], [1, 2, 1]]);
    expect(contributions(run, 2)).toEqual([[1, 3, 2], [2, 1, 3], [3, 2, 1]]);
    expect(contributions(run, 4)).toEqual([[3, 3, 3], [3, 3, 3], [3, 3, 3]]);
  });

  it("count an input once, however often it comes, and follow a move into another chunk", () => {
    const [move] = run.steps[0] ?? [];
    if (!move) throw new Error("the example has moves");
    const again = { ...run, steps: [[move], [move], [{ ...move, intoChunks: [2], reduce: false }]] };
    expect(contributions(again, 2)[1]).toEqual([2, 1, 1]);
    expect(contributions(again, 3)[1]).toEqual([2, 1, 1]);
  });
});

it("follows the longest chain of messages from the first to the last", () => {
  const path = criticalPath(run);
  expect(path.map((move) => move.step)).toEqual([0, 1, 2, 3]);
  expect(path.at(-1)?.endUs).toBe(stepEndUs(run, 4));
  expect(criticalPath({ ...run, steps: [] })).toEqual([]);
});
