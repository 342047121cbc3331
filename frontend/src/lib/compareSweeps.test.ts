import { describe, expect, it } from "vitest";
import type { ComparedRow, Comparison } from "../api/types";
import { algorithmsOf, comparedLines, comparisonCsv, countWords, deltaOf, rowsOf, sizesOf, sumWords } from "./compareSweeps";
import { aJob, anAttempt, aSimulation } from "./fixtures";

function row(change: Partial<ComparedRow> = {}): ComparedRow {
  const usual = { algorithm: "ring", size_bytes: 1024, in_place: false, time_us: 10, busbw_gb_per_s: 2, p5_us: 8, p95_us: 16, is_unstable: false, iterations: 20 };
  return { ...usual, against: null, ...change };
}

const against = (ratio: number, noise = 0.05, isReal = true) => ({ ratio, ratio_low: null, ratio_high: null, noise, is_beyond_noise: isReal });

const look = { algorithm: "ring", inPlace: false, scale: "busbw", hasBands: true } as const;

const found: Comparison = {
  base: 1,
  jobs: [
    { job_id: 1, obstacles: [], rows: [row({ size_bytes: 2048 }), row(), row({ algorithm: "mpi" }), row({ algorithm: "fastest" })] },
    { job_id: 2, obstacles: [], rows: [row({ against: against(0.5) }), row({ size_bytes: 4096 }), row({ in_place: true })] },
  ],
};

it("has the lines of all jobs, of the algorithm and place that is looked at", () => {
  expect(algorithmsOf(found)).toEqual(["fastest", "ring", "mpi"]);
  expect(found.jobs.slice(0, 1).flatMap((job) => rowsOf(job, "ring", false)).map((item) => item.size_bytes)).toEqual([1024, 2048]);
  expect(sizesOf(found, "ring", false)).toEqual([1024, 2048, 4096]);
  const [base, other] = comparedLines(found, new Map([[1, "SIMULATED job 1"]]), look);
  expect(base?.points).toEqual([[1024, 2], [2048, 2]]);
  expect([base?.name, other?.name, other?.colour]).toEqual(["SIMULATED job 1", "job 2", "--job-1"]);
});

it("shows more for faster also as a ratio, and a gap where the baseline has no row", () => {
  const [base, other] = comparedLines(found, new Map([[1, "SIMULATED job 1"]]), { ...look, scale: "ratio" });
  expect(base?.points).toEqual([[1024, 1], [2048, 1]]);
  expect(other?.points).toEqual([[1024, 2], [4096, null]]);
});

it("has behind each line how far iterations differ, and marks the sizes where that is much", () => {
  const two = { ...found, jobs: [{ job_id: 1, obstacles: [], rows: [row({ is_unstable: true }), row({ size_bytes: 0 }), row({ size_bytes: 2048, p5_us: null })] }] };
  const [line] = comparedLines(two, new Map(), look);
  expect(line).toMatchObject({ band: [[1024, 1.25, 2.5]], unstable: [1024] });
  expect(comparedLines(two, new Map(), { ...look, scale: "ratio" })[0]?.band).toEqual([[1024, 0.625, 1.25]]);
  expect(comparedLines(two, new Map(), { ...look, hasBands: false })[0]).toMatchObject({ band: [], unstable: [1024] });
});

describe("a difference", () => {
  it("is of the time, with the noise beside it", () => {
    expect(deltaOf(row({ against: against(0.877) }))).toEqual({ text: "−12.3 %", mark: "faster", interval: "", noise: "±5.00 %" });
    const sure = { ...against(0.877), ratio_low: 0.86, ratio_high: 1.01 };
    expect(deltaOf(row({ against: sure }))?.interval).toBe("−14.0 % to +1.00 %");
    expect(deltaOf(row({ against: against(2) }))?.mark).toBe("slower");
    expect(deltaOf(row({ against: against(2) }))?.text).toBe("+100 %");
    expect(deltaOf(row())).toBeNull();
  });

  it("is a multiple where percents would have many digits", () => {
    const delta = deltaOf(row({ against: against(265, 12) }));
    expect([delta?.text, delta?.noise]).toEqual(["265×", "±12.0×"]);
  });

  it("is noise where the server says so, however large", () =>
    expect(deltaOf(row({ against: against(3, 2.5, false) }))?.mark).toBe("noise"));

  it("is counted", () => {
    const rows = [row({ against: against(0.5) }), row({ against: against(1.01, 0.05, false) }), row()];
    expect(sumWords(rows)).toBe("Of 2 sizes 1 faster, 0 slower, 1 within the noise.");
    expect(sumWords([row()])).toBe("No size in common with the baseline.");
  });
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
  expect(new Set(begins)).toEqual(new Set(["simulated,,1", `measured,"disturbed: Job 9 ran there. So it is no best value, and none to expect."`]));
});
