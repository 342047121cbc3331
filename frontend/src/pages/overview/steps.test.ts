import { expect, it } from "vitest";
import type { BusySlotsView } from "../../api/types";
import { aBest, aJob, aSimulation } from "../../testing/fixtures";
import { bestOf } from "./bestOf";
import { hourly, stepsOf } from "./steps";

function aDay(busy: number[]): BusySlotsView {
  return { since: "2026-01-01T00:00:00Z", until: new Date(Date.UTC(2026, 0, 1, 0, 15 * busy.length)).toISOString(), bin_seconds: 900, busy };
}

it("draws each mean as a step against the slots, or against more if more were busy", () => {
  expect(stepsOf(aDay([1, 2]), 4)).toEqual({ points: "0,0.75 0.5,0.75 0.5,0.5 1,0.5", mean: 1.5, most: 2 });
  expect(stepsOf(aDay([8]), 4).points).toBe("0,0 1,0");
  expect(stepsOf(aDay([]), 4)).toEqual({ points: "", mean: 0, most: 0 });
});

it("does not let the busiest part fall while the last one fills", () => {
  const day = { ...aDay([1, 4]), until: "2026-01-01T00:18:00Z" }; // 3 minutes of the last quarter of an hour
  expect(stepsOf(day, 4)).toEqual({ points: "0,0.75 0.8333,0.75 0.8333,0 1,0", mean: 1.5, most: 1 });
});

it("has the mean of each hour for the table", () => {
  expect(hourly(aDay([4, 0, 0, 0, 2, 2]))).toEqual([
    { time: "2026-01-01T00:00:00.000Z", busy: 1 },
    { time: "2026-01-01T01:00:00.000Z", busy: 2 },
  ]);
  const later = { ...aDay([4, 0, 2, 2]), since: "2026-01-01T00:30:00Z", until: "2026-01-01T01:30:00Z" };
  expect(hourly(later).map(({ time, busy }) => [time.slice(11, 16), busy])).toEqual([["00:30", 2], ["01:00", 2]]);
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
