import { describe, expect, it } from "vitest";
import { AXIS_PX, LANE_PX, lanePicture, LEFT_PX, niceTicks, RIGHT_PX, timeAxis } from "./lanes";

describe("timeAxis", () => {
  it("goes from the names of the ranks to the room for the last label", () => {
    const { at, wide, ticks } = timeAxis(1000, LEFT_PX + RIGHT_PX + 500);
    expect([at(0), at(1000), wide(10)]).toEqual([LEFT_PX, LEFT_PX + 500, 5]);
    expect(ticks[1]).toEqual({ px: LEFT_PX + 100, timeUs: 200 });
  });

  it("survives no time and no room", () => {
    expect(timeAxis(0, 500).at(0)).toBe(LEFT_PX);
    expect(Number.isFinite(timeAxis(1000, 10).at(1000))).toBe(true);
  });
});

it("puts the lanes one below the other, over the axis", () => {
  const { lanes, heightPx } = lanePicture(["a", "b"], [], (rank, topPx, index) => [rank, topPx, index]);
  expect(lanes).toEqual([["a", 0, 0], ["b", LANE_PX, 1]]);
  expect(heightPx).toBe(2 * LANE_PX + AXIS_PX);
});

describe("niceTicks", () => {
  it("begins at 0 and has as many as fit", () => {
    expect(niceTicks(1000, 1000)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
    expect(niceTicks(71_665, 500)).toEqual([0, 20_000, 40_000, 60_000]);
    expect(niceTicks(9, 10)).toEqual([0]);
  });

  it("gives a phone a scale, whatever the time", () => {
    for (let untilUs = 10; untilUs <= 100; untilUs += 1) {
      const ticks = niceTicks(untilUs, 234);
      expect(ticks.length, String(untilUs)).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThan(5);
    }
  });
});
