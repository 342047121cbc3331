import { describe, expect, it } from "vitest";
import { someTensorSums } from "../testing/resultFixtures";
import { LANE_PX, LEFT_PX, RIGHT_PX } from "./lanes";
import { sumShare, tensorLanes } from "./tensorLanes";

const WIDTH = LEFT_PX + RIGHT_PX + 1000;

describe("tensorLanes", () => {
  it("lets computing and sums take turns up to the end of backward", () => {
    const { lanes } = tensorLanes(someTensorSums(), WIDTH);
    expect(lanes.map((lane) => [lane.rank, lane.topPx])).toEqual([[0, 0], [1, LANE_PX]]);
    expect(lanes[0]?.bars.map(({ kind, startPx, endPx }) => [kind, startPx - LEFT_PX, endPx - LEFT_PX])).toEqual([
      ["compute", 0, 100], ["forward", 100, 300], ["compute", 300, 500], ["backward", 500, 900], ["compute", 900, 1000],
    ]);
    expect(lanes[0]?.bars[1]).toMatchObject({ layer: "blocks.0.mlp_out", bytes: 1024 });
  });

  it("survives no ranks and no room", () => {
    expect(tensorLanes([], 0).lanes).toEqual([]);
    expect(tensorLanes(someTensorSums(), 10).lanes.every(({ bars }) => bars.every((bar) => Number.isFinite(bar.endPx)))).toBe(true);
  });
});

it("adds up the part of forward and backward in which ranks sum", () => {
  expect(sumShare(someTensorSums())).toBeCloseTo(0.6);
  expect(sumShare([])).toBe(0);
});
