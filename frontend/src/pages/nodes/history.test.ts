import { expect, it } from "vitest";
import { aJob, anAttempt } from "../../testing/fixtures";
import { byHour, columnsOf, jobBars } from "./history";

const HISTORY = {
  node: "n1",
  since: "2026-01-01T00:00:00Z",
  until: "2026-01-02T00:00:00Z",
  minute: ["2026-01-01T12:00:00Z", "2026-01-01T12:01:00Z", "2026-01-01T18:00:00Z"],
  load_average: [1, 3, null],
  memory_used_bytes: [1, 1, 1],
  network_bytes_per_second: [10, 30, 5],
  gpu_utilization_ratio: [null, null, null],
};

it("counts hours back from now, with a gap where the node was silent", () => {
  const { x, lines } = columnsOf(HISTORY, HISTORY.load_average);
  expect(x.map((hours) => Math.round(10 * hours) / 10)).toEqual([-12, -12, -9, -6]);
  expect(lines).toEqual([[1, 3, null, null]]);
});

it("has the highest load and the mean network of each hour, the newest first", () => {
  expect(byHour(HISTORY)).toEqual([
    { time: "2026-01-01T18:00:00Z", load: null, networkBytesPerSecond: 5 },
    { time: "2026-01-01T12:00:00Z", load: 3, networkBytesPerSecond: 20 },
  ]);
});

it("draws each attempt of the day on the node, and two at a time in two lanes", () => {
  const ran = (id: number, start: string, end: string | null, nodes = ["n1"]) =>
    aJob({ id, attempts: [anAttempt({ nodes, created_at: start, finished_at: end })] });
  const jobs = [
    ran(4, "2026-01-01T18:00:00Z", null),
    ran(3, "2026-01-01T06:00:00Z", "2026-01-01T12:00:00Z", ["n2"]),
    ran(2, "2025-12-31T20:00:00Z", "2026-01-01T06:00:00Z"),
    ran(1, "2026-01-01T03:00:00Z", "2026-01-01T12:00:00Z"),
    ran(0, "2025-12-31T01:00:00Z", "2025-12-31T02:00:00Z"),
  ];
  expect(jobBars(jobs, "n1", Date.parse(HISTORY.until)).map(({ job, ...rest }) => ({ id: job.id, ...rest }))).toEqual([
    { id: 2, lane: 0, left: 0, width: 0.25 },
    { id: 1, lane: 1, left: 0.125, width: 0.375 },
    { id: 4, lane: 0, left: 0.75, width: 0.25 },
  ]);
});
