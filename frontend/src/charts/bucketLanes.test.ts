import { describe, expect, it } from "vitest";
import { someBuckets } from "../testing/resultFixtures";
import { bucketLanes, lastUs, overlapUs } from "./bucketLanes";
import { LANE_PX, LEFT_PX, RIGHT_PX } from "./lanes";

const ranks = someBuckets();
const WIDTH = LEFT_PX + RIGHT_PX + 1000;

describe("bucketLanes", () => {
  it("draws all ranks on one axis that ends with the last sum", () => {
    const { lanes, heightPx } = bucketLanes(ranks, WIDTH);
    expect(lastUs(ranks)).toBe(1000);
    expect(lanes.map((lane) => [lane.rank, lane.topPx, lane.backwardEndPx])).toEqual([[0, 0, LEFT_PX + 400], [1, LANE_PX, LEFT_PX + 500]]);
    expect(lanes[0]?.sums).toEqual([
      { bucket: 0, isGather: false, bytes: 1024, readyPx: LEFT_PX + 100, startPx: LEFT_PX + 150, endPx: LEFT_PX + 450 },
      { bucket: 1, isGather: false, bytes: 2048, readyPx: LEFT_PX + 390, startPx: LEFT_PX + 460, endPx: LEFT_PX + 800 },
    ]);
    expect(heightPx).toBeGreaterThan(2 * LANE_PX);
  });

  it("tells the sums of a sharded step from the all-gathers", () => {
    const sums = bucketLanes(ranks, WIDTH, "shares").lanes[0]?.sums.map(({ bucket, isGather }) => [bucket, isGather]);
    expect(sums).toEqual([[0, false], [0, true]]);
  });

  it("survives no ranks and no room", () => {
    expect(bucketLanes([], 0).lanes).toEqual([]);
    expect(bucketLanes(ranks, 10).lanes.every((lane) => Number.isFinite(lane.backwardEndPx))).toBe(true);
  });
});

it("gives the time of all-reduces during backward", () => {
  expect(ranks.map(overlapUs)).toEqual([250, 0]);
});
