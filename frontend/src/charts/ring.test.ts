import { describe, expect, it } from "vitest";
import { aRingOfThree } from "../lib/exampleFixture";
import { criticalPath, runOf } from "../lib/moves";
import { barPath, ghostPath, laneHeight, LANES_LEFT_PX, LANES_RIGHT_PX, moveLanes, whiskerPath } from "./moveLanes";
import { arrow, chunkLabel, rankPlaces, rankRadius, RING_PX } from "./ring";

describe("ranks on a circle", () => {
  it("go clockwise from the top, inside the picture", () => {
    const [top, right, bottom, left] = rankPlaces(4);
    expect([top?.x, bottom?.x]).toEqual([RING_PX / 2, expect.closeTo(RING_PX / 2)]);
    expect(top?.y).toBeLessThan(right?.y ?? 0);
    expect(right?.x).toBeGreaterThan(left?.x ?? RING_PX);
    for (const { x, y } of rankPlaces(16)) {
      expect(Math.min(x, y)).toBeGreaterThan(rankRadius(16));
      expect(Math.max(x, y)).toBeLessThan(RING_PX - rankRadius(16));
    }
  });

  it("do not touch each other", () => {
    for (const ranks of [2, 3, 8, 16]) {
      const [first, second] = rankPlaces(ranks);
      if (!first || !second) throw new Error("there are two");
      expect(Math.hypot(first.x - second.x, first.y - second.y)).toBeGreaterThan(2 * rankRadius(ranks));
    }
  });
});

describe("arrows", () => {
  const [a, b] = [{ x: 100, y: 300 }, { x: 300, y: 300 }];

  it("of two opposite ways bend apart", () => {
    expect(arrow(a, b, 20).label.y).toBeLessThan(300);
    expect(arrow(b, a, 20).label.y).toBeGreaterThan(300);
  });

  it("begin and end outside of the circles", () => {
    const [start = [], end = []] = /M (\S+) (\S+) Q \S+ \S+ (\S+) (\S+)/.exec(arrow(a, b, 20).path)?.slice(1).map(Number).reduce<number[][]>((pairs, value, i) => {
      (pairs[Math.floor(i / 2)] ??= []).push(value);
      return pairs;
    }, []) ?? [];
    expect(Math.hypot((start[0] ?? 0) - a.x, (start[1] ?? 0) - a.y)).toBeCloseTo(25, 0);
    expect(Math.hypot((end[0] ?? 0) - b.x, (end[1] ?? 0) - b.y)).toBeCloseTo(25, 0);
  });

  it("across the circle have labels apart from each other", () => {
    const places = rankPlaces(8);
    const [zero, three, four, seven] = [places[0], places[3], places[4], places[7]];
    if (!zero || !three || !four || !seven) throw new Error("there are eight");
    const [one, other] = [arrow(three, zero, 25), arrow(seven, four, 25)];
    expect([one.isAcross, other.isAcross, arrow(zero, seven, 25).isAcross]).toEqual([true, true, false]);
    expect(Math.hypot(one.label.x - other.label.x, one.label.y - other.label.y)).toBeGreaterThan(60);
  });

  it("bend to the outside where each rank sends to the next", () => {
    const places = rankPlaces(3);
    places.forEach((from, i) => {
      const to = places[(i + 1) % 3];
      if (!to) throw new Error("there is a next one");
      const { label } = arrow(from, to, rankRadius(3));
      const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
      const distance = (point: { x: number; y: number }) => Math.hypot(point.x - RING_PX / 2, point.y - RING_PX / 2);
      expect(distance(label)).toBeGreaterThan(distance(middle));
    });
  });

  it("survive two ranks in one place", () => expect(arrow(a, a, 20).path).not.toContain("NaN"));

  it("are labelled with their chunks", () => {
    expect([[2], [0, 1], [0, 1, 2, 3], [0, 2, 4, 6]].map(chunkLabel)).toEqual(["2", "0, 1", "0–3", "4 chunks"]);
  });
});

describe("moveLanes", () => {
  const run = runOf(aRingOfThree());
  const width = LANES_LEFT_PX + LANES_RIGHT_PX + 800;

  it("puts what is sent above what is received and added, on one axis", () => {
    const { bars, lanes, at } = moveLanes(run, width, criticalPath(run));
    const first = bars.filter((bar) => bar.move === run.steps[0]?.[0]);
    expect(first.map((bar) => [bar.part, bar.rank, bar.xPx - LANES_LEFT_PX, bar.widthPx])).toEqual([
      ["send", 0, 0, 100], ["receive", 1, 0, 100], ["add", 1, 100, 100],
    ]);
    expect(at(8)).toBe(LANES_LEFT_PX + 800);
    expect(lanes.map((lane) => lane.middlePx)).toEqual([18, 54, 90]);
    expect(bars.every((bar) => bar.yPx >= bar.rank * laneHeight(3) && bar.yPx + bar.heightPx <= (bar.rank + 1) * laneHeight(3))).toBe(true);
    expect(bars.filter((bar) => bar.isCritical && bar.part === "send")).toHaveLength(4);
  });

  it("draws waiting and what the model predicts where they are told", () => {
    const [move] = run.steps[1] ?? [];
    if (!move) throw new Error("the example has moves");
    const { bars } = moveLanes({ ...run, steps: [[{ ...move, waitUs: 1, predictedUs: 4 }]] }, width);
    expect(bars.map((bar) => [bar.part, bar.rank, bar.xPx - LANES_LEFT_PX, bar.widthPx, bar.ghostPx])).toEqual([
      ["wait", move.dst, 100, 100, null], ["send", move.src, 200, 100, 400], ["receive", move.dst, 200, 100, null], ["add", move.dst, 300, 100, null],
    ]);
  });

  it("draws how far the clocks may be off", () => {
    const [move] = run.steps[0] ?? [];
    if (!move) throw new Error("the example has moves");
    const { bars } = moveLanes({ ...run, steps: [[{ ...move, errorUs: 0.5 }]] }, width);
    expect(bars[0]?.errorPx).toBe(50);
    expect(whiskerPath(bars, 800)).toBe(`M${LANES_LEFT_PX}.0 10.8H${LANES_LEFT_PX + 50}.0`);
    expect([whiskerPath(bars, 50), whiskerPath(moveLanes(run, width).bars, 800)]).toEqual(["", ""]);
    expect([moveLanes(run, width).lanesPx, moveLanes({ ...run, predictedUs: 16 }, width).lanesPx]).toEqual([800, 400]);
  });

  it("has a bar as long as the model's time, and the axis ends with the longer one", () => {
    const model = (predictedUs: number | null) => moveLanes({ ...run, predictedUs }, width);
    expect([model(null).model, model(4).model?.widthPx, model(4).at(8)]).toEqual([null, 400, LANES_LEFT_PX + 800]);
    expect([model(16).model?.widthPx, model(16).at(8)]).toEqual([800, LANES_LEFT_PX + 400]);
    expect([model(800).model?.widthPx, model(800).at(8)]).toEqual([800, LANES_LEFT_PX + 400]);
    expect(model(4).heightPx).toBeGreaterThan(model(null).heightPx);
  });

  it("puts many bars into one path", () => {
    const { bars } = moveLanes(run, width);
    expect(barPath(bars.slice(0, 1))).toBe(`M${LANES_LEFT_PX}.0 4.3h100.0v13.0h-100.0z`);
    expect(barPath(bars).match(/M/g)).toHaveLength(bars.length);
    expect(ghostPath(bars)).toBe("");
    expect(ghostPath(bars.slice(0, 1).map((bar) => ({ ...bar, ghostPx: 10 })))).toBe(`M${LANES_LEFT_PX}.0 4.3h10.0v13.0h-10.0z`);
  });

  it("survives a run without messages, and no room", () => {
    expect(moveLanes({ ...run, steps: [], timeUs: 0 }, 0).bars).toEqual([]);
    expect(moveLanes(run, 0).bars.every((bar) => Number.isFinite(bar.xPx))).toBe(true);
  });
});
