import { expect, it } from "vitest";
import type { Comparison } from "../../api/types";
import { rowsOf } from "../../lib/sweep/comparedRows";
import { algorithmsOf, comparedLines, comparisonCsv, countWords, sizesOf } from "./compareSweeps";
import { aJob, anAttempt, aSimulation } from "../../testing/fixtures";
import { aComparedRow as row } from "../../testing/resultFixtures";

const look = { algorithm: "ring", inPlace: false, scale: "busbw", hasBands: true } as const;

const found: Comparison = {
  base: 1,
  jobs: [
    { job_id: 1, obstacles: [], caveats: [], interpolated: [], rows: [row({ size_bytes: 2048 }), row(), row({ algorithm: "mpi" }), row({ algorithm: "fastest" })] },
    { job_id: 2, obstacles: [], caveats: [], interpolated: [], rows: [row({ against: { ratio: 0.5, ratio_low: null, ratio_high: null, noise: 0.05, is_clear: true, is_beyond_noise: true } }), row({ size_bytes: 4096 }), row({ in_place: true })] },
  ],
};

it("has the lines of all jobs, of the algorithm and place that is looked at", () => {
  expect(algorithmsOf(found)).toEqual(["fastest", "ring", "mpi"]);
  expect(found.jobs.slice(0, 1).flatMap((job) => rowsOf(job, "ring", false)).map((item) => item.size_bytes)).toEqual([1024, 2048]);
  expect(sizesOf(found, "ring", false)).toEqual([1024, 2048, 4096]);
  const [base, other] = comparedLines(found, new Map([[1, "SIMULATED job 1"]]), look);
  expect(base?.points).toEqual([[1024, 2], [2048, 2]]);
  expect([base?.name, other?.name, other?.colour]).toEqual(["SIMULATED job 1", "job 2", "--job-2"]);
});

it("has the bus bandwidth of the median where every row of every job has one", () => {
  const at = (medians: (number | null)[]) => {
    const jobs = medians.map((median_us, i) => ({ job_id: i + 1, obstacles: [], caveats: [], interpolated: [], rows: [row({ time_us: 10, median_us, busbw_gb_per_s: 2, p5_us: 5, p95_us: 20 })] }));
    return comparedLines({ base: 1, jobs }, new Map(), look).map(({ points, band }) => [points[0]?.[1], band?.[0]]);
  };
  const spread = [1024, 1, 4];
  expect(at([8, 4])).toEqual([[2.5, spread], [5, spread]]);
  expect(at([8, null])).toEqual([[2, spread], [2, spread]]);
});

it("keeps a job's line when another job is left out", () => {
  const jobs = [1, 3, 2].map((id) => ({ job_id: id, obstacles: [], caveats: [], interpolated: [], rows: [row()] }));
  const lines = comparedLines({ base: 1, jobs }, new Map(), look);
  const fewer = comparedLines({ base: 3, jobs: jobs.slice(1) }, new Map(), look);
  expect(fewer.map(({ name, colour, dash }) => [name, colour, dash])).toEqual(lines.slice(1).map(({ name, colour, dash }) => [name, colour, dash]));
});

it("shows more for faster also as a ratio, and a gap where the base job has no row", () => {
  const [base, other] = comparedLines(found, new Map([[1, "SIMULATED job 1"]]), { ...look, scale: "ratio" });
  expect(base?.points).toEqual([[1024, 1], [2048, 1]]);
  expect(other?.points).toEqual([[1024, 2], [4096, null]]);
});

it("has behind each line how far iterations differ, and marks the sizes where that is much", () => {
  const two = { ...found, jobs: [{ job_id: 1, obstacles: [], caveats: [], interpolated: [], rows: [row({ is_unstable: true }), row({ size_bytes: 0 }), row({ size_bytes: 2048, p5_us: null })] }] };
  const [line] = comparedLines(two, new Map(), look);
  expect(line).toMatchObject({ band: [[1024, 1.25, 2.5]], unstable: [1024] });
  expect(comparedLines(two, new Map(), { ...look, scale: "ratio" })[0]?.band).toEqual([[1024, 0.625, 1.25]]);
  expect(comparedLines(two, new Map(), { ...look, hasBands: false })[0]).toMatchObject({ band: [], unstable: [1024] });
});

it("says of how many iterations the times are", () => {
  expect(countWords([row(), row({ iterations: 20 })])).toBe("n=20");
  expect(countWords([row({ iterations: 20 }), row({ iterations: 5 })])).toBe("n=5 – 20");
  expect(countWords([])).toBe("");
});

it("says in every copied line what the numbers of its job are", () => {
  const simulated = aJob({ id: 1, spec: aSimulation() });
  const shared = aJob({ id: 2, attempts: [anAttempt({ disturbed_by: "Job 9 ran there." })] });
  const [heading, ...lines] = comparisonCsv([simulated, shared], found.jobs).trim().split("\r\n");
  expect(heading).toMatch(/^basis,caveats,job_id,/);
  const begins = lines.map((line) => line.split(",").slice(0, 3).join(","));
  const disturbed = "disturbed: Job 9 ran there. It comes after undisturbed jobs and counts less in baselines.";
  expect(new Set(begins)).toEqual(new Set(["simulated,,1", `measured,${disturbed},2`]));
});
