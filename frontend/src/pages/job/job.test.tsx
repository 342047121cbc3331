// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../api/client";
import type { BandwidthJudgement, BenchmarkJob, JobView } from "../../api/types";
import { comparisonQuery } from "../../data/comparison";
import { applyEvents } from "../../data/deltas";
import { eventsQuery, jobQuery } from "../../data/job";
import { jobPredictionQuery, measurementsQuery } from "../../data/results";
import { recentJobsQuery } from "../../data/jobs";
import { nodesQuery, seenNow } from "../../data/nodes";
import { logOutlineQuery, logPageQuery } from "../../data/log";
import { meQuery } from "../../data/server";
import { tracesQuery } from "../../data/traces";
import { aBest, aDiagnosisJob, aJob, anAttempt, aNode } from "../../testing/fixtures";
import { aComparedRow, anEvent, aRow } from "../../testing/resultFixtures";
import { Answers, drawn } from "../../testing/page";
import { CellLinks } from "./stragglers/CellLinks";
import { JobPage } from "./JobPage";
import "./judgement/JudgementCard";
import { judgementQuery } from "./judgement/query";
import { Latency } from "./latency/Latency";
import { Log } from "./log/Log";
import { Timeline } from "./now/Timeline";
// Parts that are loaded on demand are loaded here.
import "./log/LastLines";
import { History } from "./now/History";
import "./results/Results";
import "./situation/Difference";
import "./situation/MissingNodes";

vi.mock("uplot", () => ({ default: vi.fn() }));
vi.mock("../../data/live", () => ({ useTopic: () => undefined }));

const row = aRow({ size_bytes: 2 ** 20 });
const { spec, summary } = aJob();
const best = aBest({ size_bytes: 2 ** 26, in_place: true, busbw_gb_per_s: 42 });

function succeeded(change: Partial<BenchmarkJob> = {}): BenchmarkJob {
  return aJob({ id: 7, state: "succeeded", started_at: "2026-01-01T00:00:00Z", finished_at: "2026-01-01T00:01:00Z", summary: { ...summary, best: [best] }, ...change });
}

const traced = succeeded({ spec: { ...spec, benchmark: { ...spec.benchmark, trace: true } } });

function answers(job: JobView = succeeded(), rows = [row]): Answers {
  return new Answers().of(jobQuery(7), job).of(measurementsQuery(7, job.attempts.length), rows);
}

const alerts = (page: HTMLElement): string[] => [...page.querySelectorAll("[role=alert]")].map(({ textContent }) => textContent);
const button = (page: HTMLElement, name: string) => [...page.querySelectorAll("button")].find(({ textContent }) => textContent === name);

it("counts only the rows of the newest attempt, also on a page that was open before it", async () => {
  const [first, second] = [anAttempt({ id: 1, number: 1 }), anAttempt({ id: 2, number: 2 })];
  const running = (attempts: BenchmarkJob["attempts"]) => aJob({ id: 7, state: "running", attempts });
  const known = answers(running([first]), [aRow({ id: 1, wrong: 0 }), aRow({ id: 2, wrong: 0 })]);
  const page = await drawn(<JobPage />, "/jobs/7?view=table", known);
  const check = () => [...page.querySelectorAll("[aria-label=Outcome] dl > div")].map(({ textContent }) => textContent).find((text) => text.startsWith("Result check"));
  expect(check()).toBe("Result check✓ 0 wrongof 2");
  known.of(measurementsQuery(7, 2), []);
  const rows = { name: "measurements", data: { job_id: 7, items: [aRow({ id: 3, wrong: 0 })] } };
  await act(async () => applyEvents(known.client, [{ name: "job", data: running([first, second]) }, rows]));
  expect(check()).toBe("Result check✓ 0 wrongof 1");
});

it.each([
  ["what happened", eventsQuery(7), "What happened to the job could not be loaded"],
  ["what its rows are held against", jobPredictionQuery(7, 0), "The prediction and the baseline could not be loaded"],
  ["which operations were followed", tracesQuery(7, true), "The traces of the job could not be loaded"],
])("says that it could not be loaded: %s", async (_, query, sentence) => {
  const page = await drawn(<JobPage />, "/jobs/7?view=table", await answers(traced).failing(query, "The disk is full."));
  expect(alerts(page)).toEqual([expect.stringContaining(`${sentence}. The disk is full.`)]);
});

it("does not say how to follow a job whose operations could not be loaded", async () => {
  const links = async (known: Answers): Promise<string | null> => (await drawn(<CellLinks job={traced} row={row} rank={0} at={null} />, "/jobs/7", known)).textContent;
  expect(await links(new Answers().of(tracesQuery(7, true), []))).toContain("How to trace");
  expect(await links(await new Answers().failing(tracesQuery(7, true), "The disk is full."))).not.toContain("How to trace");
});

it("leads from a late cell to what its rank had printed by then, where that line is marked", async () => {
  const at = "2026-01-31T12:00:00.000123Z";
  const cell = await drawn(<CellLinks job={traced} row={row} rank={1} at={at} />, "/jobs/7");
  const link = [...cell.querySelectorAll("a")].find(({ textContent }) => textContent === "Log of rank 1 at that time");
  expect(link?.getAttribute("href")).toBe("/jobs/7?tab=log&rank=1&at=2026-01-31T12%3A00%3A00.000123Z");
  const outline = { lines: 3, last_id: 9, lines_per_page: 500, cursors: [null], line_at: 2 };
  const lines = [2, 5, 9].map((id) => ({ id, number: id, node: "n1", rank: 1, stream: "stdout", time_ns: Date.parse(at) * 1e6 + id, text: `line ${id}` }));
  const known = answers().of(logOutlineQuery(7, { rank: 1 }, at), outline).of(logPageQuery(7, { rank: 1 }, null, 500, 9), lines);
  const page = await drawn(<Log job={succeeded()} />, link?.getAttribute("href") ?? "", known);
  expect([...page.querySelectorAll("[aria-current=true] > :last-child")].map(({ textContent }) => textContent)).toEqual(["line 5"]);
  expect(page.textContent).toContain("marked is the last one printed by");
});

it("lays the job beside it that the address names, whatever is the base job in this browser", async () => {
  localStorage.setItem("ringscope-marked-jobs", JSON.stringify({ pinned: [], base: 3 }));
  const rows = [aComparedRow({ size_bytes: 2 ** 20 })];
  const found = { base: 5, jobs: [{ job_id: 5, obstacles: [], caveats: [], interpolated: [], rows }, { job_id: 7, obstacles: [], caveats: [], interpolated: [], rows }] };
  const known = answers().of(comparisonQuery([5, 7], 5, 0), found).of(jobQuery(5), succeeded({ id: 5 })).of(jobQuery(3), succeeded({ id: 3 }));
  const page = await drawn(<JobPage />, "/jobs/7?view=table&beside=base&base=5", known);
  expect(page.textContent).toContain("Grey: the means of job 5, the base job.");
  expect(page.querySelector("[aria-label=Outcome]")?.textContent).toContain("Against base job–to job 5");
});

it.each([
  ["", ["ring", "mpi in place"], true],
  ["&stat=median", [], false],
])("has in bold who clearly wins by the mean, not the largest value, and marks what is unstable: %s", async (search, bold, isSaid) => {
  const winners = [
    { algorithm: "ring", in_place: false, min_bytes: 2 ** 19, max_bytes: 2 ** 20 },
    { algorithm: "mpi", in_place: true, min_bytes: 2 ** 20, max_bytes: 2 ** 20 },
  ];
  const rows = [false, true].flatMap((inPlace) => [
    aRow({ id: inPlace ? 1 : 2, in_place: inPlace, size_bytes: 2 ** 20 }),
    aRow({ id: inPlace ? 3 : 4, in_place: inPlace, size_bytes: 2 ** 20, algorithm: "mpi", busbw_gb_per_s: 9, cv_percent: 30 }),
    aRow({ id: inPlace ? 5 : 6, in_place: inPlace, size_bytes: 2 ** 21 }),
  ]);
  const job = succeeded({ summary: { ...summary, winners } });
  const page = await drawn(<JobPage />, `/jobs/7?view=table&place=both${search}`, answers(job, rows));
  const table = page.querySelector("[aria-label='Comparison by size'] table") as HTMLElement;
  const names = [...table.querySelectorAll("thead th")].slice(1).map(({ textContent }) => textContent.replace(" (GB/s)", ""));
  const cells = [...table.querySelectorAll("tbody td")];
  const of = (isChosen: (cell: Element) => boolean) => cells.flatMap((cell, i) => (isChosen(cell) ? [names[i % names.length]] : []));
  expect(of((cell) => cell.className.includes("best"))).toEqual(bold);
  expect(of(({ textContent }) => textContent.includes("unstable"))).toEqual(["mpi", "mpi in place"]);
  expect(page.querySelector("figcaption")?.textContent.includes("Bold: clearly the fastest")).toBe(isSaid);
});

it.each([
  [0, 0, "Rank 1 printed nothing", false],
  [0, 5, "Rank 1 printed nothing", true],
  [3, 5, "Rank 1\u2019s last 3 lines of 3", true],
])("points to the log only if there is one: %d lines of the rank, %d of the job", async (ofRank, ofJob, title, isLinked) => {
  const outline = (lines: number) => ({ lines, last_id: lines, lines_per_page: 500, cursors: [null], line_at: null });
  const failed = succeeded({ state: "failed", attempts: [anAttempt({ bad_rank: 1, bad_node: "n1" })] });
  const known = answers(failed, []).of(logOutlineQuery(7, { rank: 1 }), outline(ofRank)).of(logOutlineQuery(7, {}), outline(ofJob));
  const page = await drawn(<JobPage />, "/jobs/7", known);
  expect(page.querySelector("[aria-label=Outcome]")?.textContent).toContain("First to fail: rank 1 on n1.");
  expect(page.querySelector("[aria-label='Last lines']")?.textContent).toContain(title);
  expect([...page.querySelectorAll("a")].some(({ textContent }) => textContent === "All lines")).toBe(isLinked);
});

it("offers only a job that succeeded as the base job", async () => {
  const admin = (job: BenchmarkJob): Answers => answers(job).of(meQuery, { role: "admin" } as never);
  expect(button(await drawn(<JobPage />, "/jobs/7?view=table", admin(succeeded())), "★ Set as base job")).toBeDefined();
  const failed = succeeded({ state: "failed", reason: "oom", message: "A rank ran out of memory." });
  expect(button(await drawn(<JobPage />, "/jobs/7?view=table", admin(failed)), "★ Set as base job")).toBeUndefined();
});

it.each([
  ["queued", "operator", "Hold", "/api/v1/jobs/{job_id}/hold"],
  ["held", "admin", "Release", "/api/v1/jobs/{job_id}/release"],
] as const)("lets an operator hold a waiting job, and release it: %s", async (state, role, name, path) => {
  const post = vi.spyOn(api, "POST").mockResolvedValue({ error: { detail: "Job 7 is running; only a queued job can be held." }, response: new Response(null, { status: 409 }) } as never);
  const page = await drawn(<JobPage />, "/jobs/7?view=table", answers(aJob({ id: 7, state }), []).of(meQuery, { role } as never));
  await act(async () => button(page, name)?.click());
  expect(post.mock.calls).toEqual([[path, { params: { path: { job_id: 7 } } }]]);
  expect(alerts(page)).toEqual([expect.stringContaining("only a queued job can be held.")]);
  post.mockRestore();
});

it.each([["queued", "viewer"], ["running", "operator"], ["succeeded", "operator"]] as const)("offers neither where it cannot be done: %s, %s", async (state, role) => {
  const page = await drawn(<JobPage />, "/jobs/7?view=table", answers(aJob({ id: 7, state }), []).of(meQuery, { role } as never));
  const header = page.querySelector("header") as HTMLElement;
  expect([button(header, "Hold"), button(header, "Release")]).toEqual([undefined, undefined]);
});

it.each([
  ["queued", 0.1, "", true],
  ["held", 0.1, "", true],
  ["queued", 0.1, "&beside=nothing", false],
  ["queued", null, "", false],
  ["queued", null, "&beside=model", true],
] as const)("shows the prediction of a model that is fitted to this machine, or is asked for: %s, %s%s", async (state, error, search, isShown) => {
  const model = { rows: [{ algorithm: "ring", chosen_algorithm: null, size_bytes: 2 ** 20, time_us: 5, algbw_gb_per_s: 2, busbw_gb_per_s: 3 }], source: "The cost model.", median_error: error, knees: [], unfitted: error === null ? ["ring"] : [], unpredicted: [] };
  const known = answers(aJob({ id: 7, state }), []).of(jobPredictionQuery(7, 0), { model, limit: null, baseline: [], needed_runs: 3 });
  const page = await drawn(<JobPage />, `/jobs/7?view=table${search}`, known);
  const results = page.querySelector("[aria-labelledby=results]")?.textContent;
  expect(results?.includes("ring, model")).toBe(isShown);
  expect(results?.includes("The model of ring has parameters from another machine.")).toBe(isShown && error === null);
});

it("goes to the job before and after by what this one's page shows, without what is this job's own", async () => {
  const known = answers().of(recentJobsQuery, [aJob({ id: 9 })]);
  const page = await drawn(<JobPage />, "/jobs/7?tab=latency&view=table&metric=time&stat=median&cell=0.3", known);
  const links = [...page.querySelectorAll("header a")].map((link) => link.getAttribute("href") ?? "").filter((href) => /^\/jobs\/[68]/.test(href));
  expect(links.map((href) => [href.split("?")[0], Object.fromEntries(new URLSearchParams(href.split("?")[1]))])).toEqual(
    ["/jobs/6", "/jobs/8"].map((path) => [path, { tab: "latency", view: "table", metric: "time", stat: "median" }]),
  );
});

it.each(["", "&place=in"])("has one headline number for each algorithm, in its tile and in the legend: %s", async (search) => {
  const rows = [aRow({ id: 1, size_bytes: 2 ** 20, algorithm: "mpi", time_us: 5, busbw_gb_per_s: 12 }), row];
  const page = await drawn(<JobPage />, `/jobs/7?view=table${search}`, answers(succeeded(), rows));
  const facts = [...page.querySelectorAll("[aria-label=Outcome] dl > div")].map(({ textContent }) => textContent);
  expect(facts[0]).toMatch(/^ring42\.0 GB\/sbest, 64 MiB in place$/);
  expect(facts[1]).toMatch(/^mpi–.*no row$/);
  const legend = page.querySelector("[aria-labelledby=results] figure > div")?.textContent;
  expect(legend).toContain("42.0 GB/s");
});

const JUDGEMENT: BandwidthJudgement = { word: "as expected", sentence: "42 GB/s at 64 MiB.", version: 1, basis: "references", facts: null, missing: [], transport: [], references: [], sizes: [] };
const OWN_RUNS = { kind: "baseline", size_bytes: 1024, busbw_gb_per_s: 12, low_gb_per_s: 11.9, high_gb_per_s: 13.7, source: "4 own runs", url: "", date: "" };

it.each([
  ["unknown", { best_row_runs: 2, needed_runs: 3 }, "operator", "Expected hereunknown2 of 3 runs", "/jobs/new?from=7"],
  ["unknown", { best_row_runs: 2, needed_runs: 3 }, "viewer", "Expected hereunknown2 of 3 runs", undefined],
  ["unknown", { best_row_runs: 4, needed_runs: 3 }, "operator", "Expected hereunknownearlier runs disagree", undefined],
  ["unknown", { best_row_runs: null, needed_runs: 3 }, "operator", "Expected hereunknownnothing to compare with", undefined],
  ["low by 5 %", { best_row_runs: 4, needed_runs: 3 }, "operator", "Expected here▼ low by 5 %11.9 to 13.7 GB/s by 4 own runs", undefined],
] as const)("has one word for what was to be expected, and says which runs are missing: %s, %j, %s", async (word, told, role, words, href) => {
  // The limit would be a share of 42 %, which is not what was to be expected.
  const limit = { busbw_gb_per_s: 100, source: "The link." } as never;
  const known = answers().of(meQuery, { role } as never).of(jobPredictionQuery(7, 0), { model: null, limit, baseline: [], ...told });
  known.of(judgementQuery(7), { ...JUDGEMENT, word, references: [OWN_RUNS] });
  const page = await drawn(<JobPage />, "/jobs/7?view=table", known);
  const fact = [...page.querySelectorAll("[aria-label=Outcome] dl > div")].find(({ textContent }) => textContent.startsWith("Expected here"));
  expect(fact?.textContent).toBe(words);
  expect(fact?.querySelector("a")?.getAttribute("href") ?? undefined).toBe(href);
});

it("names the drained nodes for which it waits", async () => {
  const pending = { reason: "no_node", sentence: "Waits for a node: none that it may use is ready." };
  const drained = seenNow(aNode({ name: "a", desired: "drain", desired_by: "ada", desired_reason: "kernel update" }));
  const waiting = aJob({ id: 7, state: "queued", pending } as Partial<BenchmarkJob>);
  const page = await drawn(<JobPage />, "/jobs/7?view=table", answers(waiting, []).of(nodesQuery, [drained]));
  await act(() => vi.waitFor(() => expect(page.querySelector("[aria-label=Outcome]")?.textContent).toContain("Node a is drained and takes no job. ada: kernel update.")));
});

it("shows its note on the first tab", async () => {
  const outcome = async (note: string) => (await drawn(<JobPage />, "/jobs/7?view=table", answers(succeeded({ note })))).querySelector("[aria-label=Outcome]")?.textContent;
  expect(await outcome("new cable\nsince Monday")).toContain("Note: new cable\nsince Monday");
  expect(await outcome("")).not.toContain("Note:");
});

it("keeps the order of its algorithms, whatever is the fastest", async () => {
  const many: typeof spec = { ...spec, benchmark: { ...spec.benchmark, algorithms: ["ring", "direct", "mpi", "naive", "tree"] } };
  const known = { ...summary, best: [aBest({ algorithm: "naive" }), aBest({ algorithm: "direct" }), aBest({ algorithm: "ring" })] };
  const tiles = async (job: BenchmarkJob) => {
    const page = await drawn(<JobPage />, "/jobs/7?view=table", answers(job, [row]));
    return [...page.querySelectorAll("[aria-label=Outcome] dt")].map(({ textContent }) => textContent).slice(0, 4);
  };
  expect(await tiles(succeeded({ spec: many, state: "running", summary: known }))).toEqual(["ring", "direct", "mpi", "Others"]);
  expect(await tiles(succeeded({ spec: many, summary: known }))).toEqual(["ring", "direct", "naive", "Slower"]);
});

it("gives the number of iterations of percentiles if some were skipped", async () => {
  const page = await drawn(<Latency job={succeeded()} rows={[aRow({ iterations: 15 })]} />, "/jobs/7?view=table");
  expect(page.textContent).toContain("Percentiles of 15 timed iterations");
});

it("shows the stages of the newest attempt, and folds those before", async () => {
  const states = ["queued", "starting", "stopping", "queued", "starting"];
  const page = await drawn(<Timeline job={aJob()} events={states.map((after, id) => anEvent({ id, after }))} />, "/");
  expect(page.querySelectorAll("[aria-label='What happened'] li")).toHaveLength(5);
  expect(page.querySelector("details summary")?.textContent).toBe("1 earlier attempt");
});

it("says which algorithm sums since when, and why, if auto changed it while the job trained", async () => {
  const change = (id: number, message: string) => anEvent({ id, message, action: "job.algorithm_changed", after: "ring" });
  const events = [anEvent({ after: "running" }), change(2, "From step 30 on ring sums."), change(3, "From step 90 on mpi sums.")];
  const page = await drawn(<History job={aJob()} />, "/jobs/7", new Answers().of(eventsQuery(aJob().id), events));
  const told = page.querySelector("[aria-label='Changes of the algorithm']");
  expect(told?.querySelector(":scope > p")?.textContent).toContain("From step 90 on mpi sums.");
  expect(told?.querySelector("summary")?.textContent).toBe("1 change of the algorithm before");
  expect(told?.querySelector("details p")?.textContent).toContain("From step 30 on ring sums.");
});

it("follows the output until the user scrolls up, and again after Jump to live", async () => {
  const filter = {};
  const outline = (lines: number) => ({ lines, last_id: lines, lines_per_page: 500, cursors: [null], line_at: null });
  const known = new Answers().of(logOutlineQuery(7, filter), outline(100));
  const page = await drawn(<Log job={succeeded({ state: "running", finished_at: null })} />, "/jobs/7?tab=log", known);
  const box = page.querySelector<HTMLElement>("[aria-label='Log lines']");
  if (!box) throw new Error("The log has no lines.");
  const print = async (lines: number): Promise<void> => {
    Object.defineProperty(box, "scrollHeight", { value: 24 * lines, configurable: true });
    await act(async () => known.of(logOutlineQuery(7, filter), outline(lines)));
  };
  const scroll = async (topPx: number): Promise<void> => {
    box.scrollTop = topPx;
    await act(async () => void box.dispatchEvent(new Event("scroll")));
  };
  await print(200);
  expect([box.scrollTop, button(page, "● live")?.ariaPressed]).toEqual([24 * 200, "true"]);
  await scroll(240);
  await print(300);
  expect([box.scrollTop, button(page, "Jump to live")?.ariaPressed]).toEqual([240, "false"]);
  await act(async () => button(page, "Jump to live")?.click());
  expect(box.scrollTop).toBe(24 * 300);
  await print(400);
  expect([box.scrollTop, button(page, "● live")?.ariaPressed]).toEqual([24 * 400, "true"]);
});

it.each([
  ["a clean run", succeeded(), "Problems: None was found."],
  ["a disturbed run", succeeded({ attempts: [anAttempt({ disturbed_by: "Other load took 86 % of the processors." })] }), "Problems: Other load took 86 % of the processors. No others."],
  ["a diagnosis", aDiagnosisJob({ started_at: succeeded().started_at }), "Problems: No other was found."],
  ["a killed rank", succeeded({ state: "failed", message: "Rank 1 was killed by SIGKILL (9)." }), "No check found a cause."],
  ["a job that was cancelled in the queue", succeeded({ state: "cancelled", started_at: null }), "The job never ran, so nothing was checked."],
])("never says of %s that nothing was wrong if something was", async (_, job, words) => {
  const page = await drawn(<JobPage />, "/jobs/7", answers(job, []));
  expect(page.querySelector("[aria-label=Insights]")?.textContent?.replaceAll(/ +/g, " ").trim()).toBe(words);
});

it("says first of a disturbed run that it was disturbed", async () => {
  const attempts = [anAttempt({ disturbed_by: "Other load took 86 % of the processors." })];
  const page = await drawn(<JobPage />, "/jobs/7", answers(succeeded({ attempts, summary: { ...summary, verdict: "Fastest: ring." } }), []));
  expect(page.querySelector("[aria-label=Outcome] p")?.textContent).toMatch(/^Disturbed\. Fastest: ring\./);
});

it("shows of an imported job what another tool measured, and nothing that only a run here has", async () => {
  const imported = { file: "nccl.log", line: 3, tool: "nccl-tests", rows: 1, flagged: 0, is_partial: false, gpu: "H100", nodes: 2, sha256: "0" };
  const job = succeeded({ kind: "imported", started_at: null, finished_at: null, spec: { ...spec, kind: "imported", imported } });
  const page = await drawn(<JobPage />, "/jobs/7?view=table", answers(job).of(judgementQuery(7), JUDGEMENT));
  expect([...page.querySelectorAll("nav[aria-label='Parts of the job'] a")].map((link) => link.textContent)).toEqual(["Results", "Configuration"]);
  const text = page.textContent;
  expect(text).toContain("✓ as expected 42 GB/s at 64 MiB.");
  expect(text).toContain("imported");
  expect(text).toContain("on 2 nodes");
  for (const words of ["Run again", "Took", "Expected here", "No node had the job", "Every step of every rank", "PromQL", "never ran", "moved by", "iteration"]) expect(text).not.toContain(words);
});
