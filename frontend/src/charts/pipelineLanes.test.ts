import { describe, expect, it } from "vitest";
import { somePipeline } from "../testing/resultFixtures";
import { LANE_PX, LEFT_PX, RIGHT_PX } from "./lanes";
import { pipelineLanes, totalUs } from "./pipelineLanes";

const { items } = somePipeline();
const WIDTH = LEFT_PX + RIGHT_PX + 1000;

describe("pipelineLanes", () => {
  it("draws all stages on one axis, the second one from its own start", () => {
    const { lanes } = pipelineLanes(items, WIDTH);
    expect(lanes.map((lane) => [lane.rank, lane.stage, lane.topPx])).toEqual([[0, 0, 0], [1, 1, LANE_PX]]);
    expect(lanes[0]?.bars[0]).toEqual({ kind: "forward", part: 0, microBatch: 0, startPx: LEFT_PX, endPx: LEFT_PX + 200 });
    expect(lanes[1]?.bars[0]).toEqual({ kind: "wait", part: 1, microBatch: 0, startPx: LEFT_PX + 100, endPx: LEFT_PX + 200 });
  });

  it("lets each rank begin at 0 while they tell of different steps", () => {
    const moved = items.map((rank, index) => ({ ...rank, step: index }));
    expect(pipelineLanes(moved, WIDTH).lanes.map((lane) => lane.bars[0]?.startPx)).toEqual([LEFT_PX, LEFT_PX]);
  });

  it("survives no ranks and no room", () => {
    expect(pipelineLanes([], 0).lanes).toEqual([]);
    expect(pipelineLanes(items, 10).lanes.every(({ bars }) => bars.every((bar) => Number.isFinite(bar.endPx)))).toBe(true);
  });
});

it("adds up the time of each kind", () => {
  expect(items.map((rank) => totalUs(rank, "wait"))).toEqual([600, 100]);
  expect(items.map((rank) => totalUs(rank, "backward"))).toEqual([200, 400]);
});
