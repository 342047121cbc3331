import { expect, it } from "vitest";
import { aBest, aJob, aSimulation } from "../../testing/fixtures";
import { bestOf } from "./bestOf";
import { hourly, stepsOf } from "./steps";

it("draws each mean as a step against the slots, or against more if more were busy", () => {
  expect(stepsOf([1, 2], 4)).toEqual({ points: "0,0.75 0.5,0.75 0.5,0.5 1,0.5", mean: 1.5, most: 2 });
  expect(stepsOf([8], 4).points).toBe("0,0 1,0");
  expect(stepsOf([], 4)).toEqual({ points: "", mean: 0, most: 0 });
});

it("has the mean of each hour for the table", () => {
  const day = { since: "2026-01-01T00:00:00Z", bin_seconds: 900, busy: [4, 0, 0, 0, 2, 2] };
  expect(hourly(day)).toEqual([
    { time: "2026-01-01T00:00:00.000Z", busy: 1 },
    { time: "2026-01-01T01:00:00.000Z", busy: 2 },
  ]);
});

it("takes a disturbed job for the best of the day before a simulated one, and none of yesterday", () => {
  const { summary } = aJob();
  const job = (id: number, busbw: number, end: string) =>
    aJob({ id, state: "succeeded", finished_at: end, summary: { ...summary, best: [aBest({ busbw_gb_per_s: busbw })] } });
  const [since, today] = ["2026-01-02T00:00:00Z", "2026-01-02T08:00:00Z"];
  const simulated = { ...job(4, 900, today), spec: aSimulation() };
  const yesterday = job(3, 500, "2026-01-01T23:00:00Z");
  expect(bestOf([simulated, yesterday, job(2, 5, today), job(1, 7, today)], since)?.id).toBe(1);
  expect(bestOf([simulated, yesterday], since)?.id).toBe(4);
  expect(bestOf([yesterday], since)).toBeNull();
});
