import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { BenchmarkJob, JobView, JudgementKind, Standing } from "../../api/types";
import { aBest, aDiagnosisJob, aJob, anAttempt, aSimulation, aTraining } from "../../testing/fixtures";
import { columnsFor } from "./columns";

type BenchmarkSummary = BenchmarkJob["summary"];

const NONE: ReadonlyMap<number, Standing> = new Map();
const UNMARKED = { isPinned: false, isBase: false };

function measured(id: number, busbw: number): JobView {
  const best = aBest({ size_bytes: 1 << 20, busbw_gb_per_s: busbw });
  const sizes = [{ size_bytes: 8, busbw_gb_per_s: 0.5, is_unstable: false }, { size_bytes: 1 << 20, busbw_gb_per_s: busbw, is_unstable: false }];
  const summary = { kind: "benchmark" as const, best: [best], sizes, min_size_p99_us: 9.5, min_size_iterations: 15, limit_gb_per_s: 25, ranks: 4, cores: null, wrong: 0, winners: [], results: [], same_messages: [], verdict: "", explanation: "" };
  return aJob({ id, state: "succeeded", summary });
}

/** The numbers of a summary, unstable at some sizes. */
function unstable({ best, sizes }: BenchmarkSummary, isAt: (sizeBytes: number) => boolean) {
  const marked = <R extends { size_bytes: number }>(row: R): R => ({ ...row, is_unstable: isAt(row.size_bytes) });
  return { best: best.map(marked), sizes: sizes.map(marked) };
}

/** A column's text for a job, and its text on hover. */
function shownAs(job: JobView, name: string, baseJob?: JobView, standings = NONE): unknown[] {
  const column = columnsFor(2000, baseJob, standings).find((one) => one.name === name);
  return [column?.content(job, UNMARKED), column?.title?.(job)];
}

it("has a column from its width on", () => {
  const names = (widthPx: number): string[] => columnsFor(widthPx, undefined, NONE).map(({ name }) => name);
  expect(names(390)).toEqual(["state", "name"]);
  expect(names(1280)).toEqual(["state", "id", "name", "work", "ranks", "result", "speed", "judgement", "over-sizes", "age"]);
  expect(names(1400)).toContain("of-limit");
  expect(names(2000)).toHaveLength(15);
});

it("shows the stored judgement, and nothing where there is none", () => {
  const words = (judgement: JudgementKind | null): string => renderToStaticMarkup(<>{shownAs({ ...measured(1, 10), judgement }, "judgement")[0]}</>);
  expect(words("as_expected")).toContain("as expected");
  expect(words("low")).toMatch(/data-tone="bad".*low/);
  expect(words("unknown"), "which most rows of a list may be").toBe("unknown");
  expect(words(null)).toBe("");
});

it.each([
  ["low", "▼ low · 10.0 GB/s"],
  ["impossible", "✕ impossible · 10.0 GB/s"],
  ["as_expected", "10.0 GB/s"],
  [null, "10.0 GB/s"],
] as const)("says below the name on a phone only a judgement that something is wrong: %s", (judgement, text) => {
  const name = columnsFor(390, undefined, NONE).find((one) => one.name === "name");
  const parts = (name?.content({ ...measured(1, 10), judgement }, UNMARKED) as { props: { children: unknown[] } }).props.children;
  expect(renderToStaticMarkup(<>{parts[1] as never}</>).replace(/<[^>]*>/g, "")).toMatch(new RegExp(`^${text}`));
});

it("shows the sentence of a failed job, not the word for its reason", () => {
  const job = aJob({ state: "failed", reason: "time_limit", message: "It ran longer than its 10 s." });
  const [cell, title] = shownAs(job, "result");
  expect([renderToStaticMarkup(<>{cell}</>).replace(/<[^>]*>/g, ""), title]).toEqual([job.message, job.message]);
});

it.each([
  [aJob({ state: "running", progress: { done: 3, total: 8 } }), "3/8"],
  [measured(1, 12.5), "12.5 GB/s · "],
  [aJob({ state: "failed", reason: "oom", message: "A rank ran out of memory." }), "A rank ran out of memory."],
])("shows progress and result below the name on a phone", (job, text) => {
  const name = columnsFor(390, undefined, NONE).find((one) => one.name === "name");
  // A link needs a router; the text below it does not.
  const parts = (name?.content(job, UNMARKED) as { props: { children: unknown[] } }).props.children;
  expect(renderToStaticMarkup(<>{parts[1] as never}</>)).toContain(text);
  expect(columnsFor(640, undefined, NONE).map((one) => one.name)).toContain("result");
});

it("shows a benchmark's bandwidth, its size, and its share of what the links allow", () => {
  const job = measured(1, 12.5);
  expect(shownAs(job, "speed")).toEqual(["12.5 GB/s", "ring at 1 MiB, n=20"]);
  expect(shownAs(job, "at-max-size")).toEqual(["12.5", "ring, out of place at 1 MiB"]);
  expect(shownAs(job, "of-limit")).toEqual(["50.0 %", "ring, out of place at 1 MiB, of 25.0 GB/s"]);
  expect(shownAs(job, "p99-at-min")).toEqual(["9.50", "ring, out of place at 8 B, of 15 iterations"]);
  const { summary } = job;
  if (summary.kind !== "benchmark") throw new Error("a benchmark");
  expect(shownAs({ ...job, summary: { ...summary, min_size_iterations: null } }, "p99-at-min")[1]).toBe("ring, out of place at 8 B");
  expect(shownAs(job, "sizes")).toEqual(["8 B – 64 MiB", "8 B – 64 MiB"]);
});

it("shows the verdict of a diagnosis", () => {
  const job = aDiagnosisJob();
  const { verdict } = job.summary;
  expect(shownAs(job, "result")).toEqual([verdict, verdict]);
  const name = columnsFor(390, undefined, NONE).find((one) => one.name === "name");
  const parts = (name?.content(job, UNMARKED) as { props: { children: unknown[] } }).props.children;
  expect(renderToStaticMarkup(<>{parts[1] as never}</>), "also on a phone").toContain(verdict);
});

it("signs what should not be compared, and says why", () => {
  const { summary, ...job } = measured(1, 12.5);
  if (summary.kind !== "benchmark") throw new Error("a benchmark");
  const [cell] = shownAs({ ...job, summary: { ...summary, ranks: 4, cores: 2 } }, "speed");
  const text = renderToStaticMarkup(<>{cell}</>);
  expect(text).toContain("4 ranks on 2 cores: The ranks shared these cores");
  expect(text).toMatch(/12\.5 GB\/s$/);
});

/** The text of a cell for each column with a number that may be marked. */
function numbers(job: JobView): string[] {
  return ["speed", "at-max-size", "of-limit", "p99-at-min"].map((name) => renderToStaticMarkup(<>{shownAs(job, name)[0]}</>));
}

it.each([
  [{ wrong: 2 }, "failed" as const, "wrong: 2 elements of its results were wrong."],
  [{}, "failed" as const, "failed: It failed: these are the rows measured until then."],
  [{}, "cancelled" as const, "cancelled: It was cancelled: these are the rows measured until then."],
  [{ is_unstable: true }, "succeeded" as const, "unstable at 8 B, 1 MiB: The iterations differ so much"],
])("signs once in a row the numbers of a job whose summary has %j and that %s", (change, state, why) => {
  const { summary, ...job } = measured(1, 12.5);
  if (summary.kind !== "benchmark") throw new Error("a benchmark");
  const marked = { ...job, state, summary: { ...summary, ...("wrong" in change && change), ...unstable(summary, (size) => size > 0 && "is_unstable" in change) } };
  const [speed, ...others] = numbers(marked);
  expect(speed).toContain(why);
  expect(others).toEqual(["12.5", "50.0 %", "9.50"]);
});

it.each([
  [8, ["p99-at-min"]],
  [1 << 20, ["speed"]],
])("signs of a job that is unstable at %i bytes a number of that size", (at, names) => {
  const { summary, ...job } = measured(1, 12.5);
  if (summary.kind !== "benchmark") throw new Error("a benchmark");
  const one = { ...job, summary: { ...summary, ...unstable(summary, (size) => size === at) } };
  const html = (name: string): string => renderToStaticMarkup(<>{shownAs(one, name)[0]}</>);
  expect(["speed", "at-max-size", "of-limit", "p99-at-min"].filter((name) => html(name).includes("unstable"))).toEqual(names);
});

it("says beside the speed of a failed job also at which other size it is unstable", () => {
  const { summary, ...job } = measured(1, 12.5);
  if (summary.kind !== "benchmark") throw new Error("a benchmark");
  const [speed, ...others] = numbers({ ...job, state: "failed", summary: { ...summary, ...unstable(summary, (size) => size === 8) } });
  expect(speed).toContain('aria-label="failed, unstable at 8 B"');
  expect(others).toEqual(["12.5", "50.0 %", "9.50"]);
});

it("marks a row once that is unstable at its largest and its smallest size, but not at the best one", () => {
  const { summary, ...job } = measured(1, 12.5);
  if (summary.kind !== "benchmark") throw new Error("a benchmark");
  const { sizes } = unstable(summary, () => true);
  const [speed, atLargest, , p99] = numbers({ ...job, summary: { ...summary, sizes } });
  expect([speed, p99]).toEqual(["12.5 GB/s", "9.50"]);
  expect(atLargest).toContain('aria-label="unstable at 8 B, 1 MiB"');
});

it("has the exact time and how long it took beside the age, on hover", () => {
  const times = { created_at: "2026-01-01T12:00:00Z", started_at: "2026-01-01T12:00:00Z", finished_at: "2026-01-01T12:01:00Z" };
  expect(shownAs({ ...measured(1, 12.5), ...times }, "age")[1]).toMatch(/^submitted .*2026.*; it took /);
  expect(shownAs(aJob(), "age")[1]).toMatch(/^submitted [^;]*$/);
});

it("has a dash for what was not measured", () => {
  for (const name of ["speed", "at-max-size", "of-limit", "p99-at-min"]) expect(shownAs(aJob(), name)[0]).toBe("–");
  expect(shownAs(aJob(), "of-limit")[1]).toBe("the rate of its links is not known");
});

it("shows the samples per second, strategy and batch of training", () => {
  const job = aTraining();
  expect(shownAs({ ...job, state: "succeeded" }, "result")).toEqual(["Accuracy 97.5 %, loss 0.123", "Accuracy 97.5 %, loss 0.123, 12,346 samples/s"]);
  const { training } = job.spec;
  expect(shownAs(job, "speed")[0]).toMatch(/^([\d,]+ samples\/s|–)$/);
  const [marked] = shownAs({ ...job, attempts: [anAttempt({ disturbed_by: "Job 9 ran there." })] }, "speed");
  expect(renderToStaticMarkup(<>{marked}</>)).toMatch(/aria-label="disturbed".*samples\/s/);
  expect(shownAs(job, "algorithms")).toEqual([`${training?.strategy}, ${training?.all_reduce}`, undefined]);
  expect(shownAs(job, "sizes")).toEqual(Array(2).fill(`batch ${training?.global_batch_size}`));
  expect(shownAs(job, "of-limit")[0]).toBe("–");
});

it("compares with a base job in a column of its own, before the age", () => {
  const [slow, fast] = [measured(1, 10), measured(2, 12)];
  expect(columnsFor(2000, slow, NONE).slice(-2).map(({ name }) => name)).toEqual(["difference", "age"]);
  const standing = { job_id: 2, obstacles: [], algorithm: "ring", size_bytes: 1024, ratio: 0.8, ratio_low: 0.78, ratio_high: 0.82 };
  const cell = (change: Partial<Standing>): unknown[] => shownAs(fast, "difference", slow, new Map([[2, { ...standing, ...change }]]));
  expect(cell({})).toEqual(["+25.0 %", "ring at 1 KiB, out of place; 95 %: +22.0 % to +28.2 %"]);
  expect(renderToStaticMarkup(<>{cell({ ratio_high: 1.1 })[0]}</>)).toContain("≈ +25.0 %");
  expect(renderToStaticMarkup(<>{shownAs(fast, "difference", slow)[0]}</>), "not known yet").toContain("–");
});

it("says in every figure's tooltip that it is simulated", () => {
  const job = { ...measured(1, 12.5), spec: aSimulation() };
  for (const name of ["speed", "at-max-size", "of-limit", "p99-at-min"]) expect(shownAs(job, name)[1]).toMatch(/^SIMULATED ring/);
  expect(shownAs(job, "speed")[1], "nothing of it was timed").toBe("SIMULATED ring at 1 MiB");
});

const level = { algorithms: ["direct", "ring"], is_fastest: false, min_bytes: 8, max_bytes: 1 << 20, size_count: 18 };

it.each([
  ["No clear winner at any size: direct or ring. At 1 MiB direct takes as long as ring.", ["direct", "ring"], [level], "Tied: direct or ring"],
  ["No winner: a comparison needs at least 5 iterations of each, and there are 2.", ["ring", "mpi"], [], "No winner: a comparison needs at least 5 iterations of each, and there are 2."],
  ["At 1 MiB mpi reaches 1.83 GB/s bus bandwidth.", ["mpi"], [], "only mpi"],
  ["Wrong results: 3 elements differ from the exact answer.", ["ring", "mpi"], [], "Wrong results: 3 elements differ from the exact answer."],
])("says the result in one line, the verdict on hover: %s", (verdict, algorithms, results, text) => {
  const job = measured(1, 1) as BenchmarkJob;
  const best = algorithms.map((algorithm) => aBest({ algorithm }));
  const summary = { ...job.summary, verdict, results, wrong: verdict.startsWith("Wrong") ? 3 : 0, best };
  expect(shownAs({ ...job, summary }, "result")).toEqual([text, verdict]);
});
