import { describe, expect, it } from "vitest";
import { aRingOfThree } from "../../testing/exampleFixture";
import { criticalPath, runOf } from "../../lib/moves";
import { LEFT_PX, RIGHT_PX } from "../../charts/lanes";
import { barPath, ghostPath, laneHeight, moveLanes, whiskerPath } from "./moveLanes";

describe("moveLanes", () => {
  const run = runOf(aRingOfThree());
  const width = LEFT_PX + RIGHT_PX + 800;

  it("puts what is sent above what is received and added, on one axis", () => {
    const { bars, lanes, at } = moveLanes(run, width, criticalPath(run));
    const first = bars.filter((bar) => bar.move === run.steps[0]?.[0]);
    expect(first.map((bar) => [bar.part, bar.rank, bar.xPx - LEFT_PX, bar.widthPx])).toEqual([
      ["send", 0, 0, 100], ["receive", 1, 0, 100], ["add", 1, 100, 100],
    ]);
    expect(at(8)).toBe(LEFT_PX + 800);
    expect(lanes.map((lane) => lane.middlePx)).toEqual([18, 54, 90]);
    expect(bars.every((bar) => bar.yPx >= bar.rank * laneHeight(3) && bar.yPx + bar.heightPx <= (bar.rank + 1) * laneHeight(3))).toBe(true);
    expect(bars.filter((bar) => bar.isCritical && bar.part === "send")).toHaveLength(4);
  });

  it("draws waiting and the model's prediction if they are known", () => {
    const [move] = run.steps[1] ?? [];
    if (!move) throw new Error("the example has moves");
    const { bars } = moveLanes({ ...run, steps: [[{ ...move, waitUs: 1, predictedUs: 4 }]] }, width);
    expect(bars.map((bar) => [bar.part, bar.rank, bar.xPx - LEFT_PX, bar.widthPx, bar.ghostPx])).toEqual([
      ["wait", move.dst, 100, 100, null], ["send", move.src, 200, 100, 400], ["receive", move.dst, 200, 100, null], ["add", move.dst, 300, 100, null],
    ]);
  });

  it("draws how far the clocks may be off", () => {
    const [move] = run.steps[0] ?? [];
    if (!move) throw new Error("the example has moves");
    const { bars } = moveLanes({ ...run, steps: [[{ ...move, errorUs: 0.5 }]] }, width);
    expect(bars[0]?.errorPx).toBe(50);
    expect(whiskerPath(bars, 800)).toBe(`M${LEFT_PX}.0 10.8H${LEFT_PX + 50}.0`);
    expect([whiskerPath(bars, 50), whiskerPath(moveLanes(run, width).bars, 800)]).toEqual(["", ""]);
    expect([moveLanes(run, width).lanesPx, moveLanes({ ...run, predictedUs: 16 }, width).lanesPx]).toEqual([800, 400]);
  });

  it("has a bar as long as the model's time, and the axis ends with the longer one", () => {
    const model = (predictedUs: number | null) => moveLanes({ ...run, predictedUs }, width);
    expect([model(null).model, model(4).model?.widthPx, model(4).at(8)]).toEqual([null, 400, LEFT_PX + 800]);
    expect([model(16).model?.widthPx, model(16).at(8)]).toEqual([800, LEFT_PX + 400]);
    expect([model(800).model?.widthPx, model(800).at(8)]).toEqual([800, LEFT_PX + 400]);
    expect(model(4).heightPx).toBeGreaterThan(model(null).heightPx);
  });

  it("puts many bars into one path", () => {
    const { bars } = moveLanes(run, width);
    expect(barPath(bars.slice(0, 1))).toBe(`M${LEFT_PX}.0 4.3h100.0v13.0h-100.0z`);
    expect(barPath(bars).match(/M/g)).toHaveLength(bars.length);
    expect(ghostPath(bars)).toBe("");
    expect(ghostPath(bars.slice(0, 1).map((bar) => ({ ...bar, ghostPx: 10 })))).toBe(`M${LEFT_PX}.0 4.3h10.0v13.0h-10.0z`);
  });

  it("survives a run without messages, and no room", () => {
    expect(moveLanes({ ...run, steps: [], timeUs: 0 }, 0).bars).toEqual([]);
    expect(moveLanes(run, 0).bars.every((bar) => Number.isFinite(bar.xPx))).toBe(true);
  });
});
