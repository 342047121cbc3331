// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import type { CurvePoint, JobView, TrainingSummary } from "../../api/types";
import { comparisonQuery } from "../../data/comparison";
import { environmentsQuery, jobQuery } from "../../data/job";
import { arrivedQuery, jobsQuery } from "../../data/jobs";
import { meQuery } from "../../data/server";
import { curveQuery, epochsQuery } from "../../data/training";
import { aJob, anAttempt, aSimulation, aTraining } from "../../testing/fixtures";
import { aComparedRow, aPoint } from "../../testing/resultFixtures";
import type { SizeLine } from "../../lib/sweep/lines";
import { Answers, drawn } from "../../testing/page";
import { ComparePage } from "./ComparePage";
import { Differences } from "./Differences";

const plotted: unknown[] = [];
const beside: unknown[] = [];
vi.mock("../../charts/SizeChart", () => ({
  SizeChart: ({ lines, isLog }: { lines: SizeLine[]; isLog: boolean }) => {
    plotted.push([isLog, ...lines.map(({ name }) => name)]);
    beside.push(lines.map(({ band, unstable }) => [band, unstable]));
    return null;
  },
}));
vi.mock("../../charts/LineChart", () => ({ LineChart: () => null }));

const against = { ratio: 0.5, ratio_low: null, ratio_high: null, noise: 0.05, is_clear: true, is_beyond_noise: true };

function sweeps(caveats: string[] = []): Answers {
  const row = aComparedRow();
  const other = { ...row, time_us: 5, busbw_gb_per_s: 4, p5_us: 4, p95_us: 8, is_unstable: true, against };
  const jobs = [{ job_id: 7, obstacles: [], caveats: [], interpolated: [], rows: [row] }, { job_id: 9, obstacles: [], caveats, interpolated: [], rows: [other] }];
  return new Answers()
    .of(jobQuery(7), aJob({ id: 7, state: "succeeded" }))
    .of(jobQuery(9), aJob({ id: 9, state: "succeeded", spec: aSimulation() }))
    .of(comparisonQuery([7, 9], 7, 0), { base: 7, jobs });
}

const text = (page: HTMLElement, selector: string): string[] => [...page.querySelectorAll(selector)].map((element) => element.textContent ?? "");

it("has the same comparison as a command to copy", async () => {
  const page = await drawn(<ComparePage />, "/compare?ids=7,9", sweeps());
  expect(text(page, "[popover] code")).toContain("ringscope diff 7 9");
});

it("begins with the answer, and says what may have disturbed it", async () => {
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", sweeps(["This job was disturbed, so differences may come from that."]));
  expect(text(page, "[role=status] p")).toEqual([
    "Job 9 is clearly faster than job 7 at 1 KiB, by a factor of 2. Means decide.",
    "⚠ Job 9 was disturbed, so differences may come from that.",
  ]);
});

it("shows the judgement of each job beside its state", async () => {
  const judged = sweeps().of(jobQuery(7), aJob({ id: 7, state: "succeeded", judgement: "low" }));
  const page = await drawn(<ComparePage />, "/compare?ids=7,9", judged);
  const [first, second] = text(page, "section[aria-label='Jobs that are compared'] li");
  expect(first).toContain("Bandwidth: low");
  expect(second, "it was not judged").not.toContain("Bandwidth");
});

it.each([
  [7, 9, "it is the list's base job"],
  [5, 5, "the list has another one"],
])("marks the base job, and moves the mark of the list with it (base of the list %i)", async (kept, after, why) => {
  localStorage.setItem("ringscope-marked-jobs", JSON.stringify({ pinned: [], base: kept }));
  const answers = sweeps().of(comparisonQuery([7, 9], 9, 0), { base: 9, jobs: [] });
  const page = await drawn(<ComparePage />, "/compare?ids=7,9", answers);
  const radios = () => [...page.querySelectorAll<HTMLInputElement>("section[aria-label='Jobs that are compared'] li input")];
  const marked = () => radios().map(({ checked }) => checked);
  expect(marked()).toEqual([true, false]);
  await act(async () => radios()[1]?.click());
  expect(marked()).toEqual([false, true]);
  expect((JSON.parse(localStorage.getItem("ringscope-marked-jobs") ?? "{}") as { base: number }).base, why).toBe(after);
});

it("compares the latest two jobs of one kind at one press, and offers a job that ends while the page is open", async () => {
  const job = (id: number, kind: JobView["kind"] = "benchmark") => ({ ...aJob(), id, kind, state: "succeeded" }) as JobView;
  const listed = { pages: [{ items: [job(9, "training"), job(8)], next: null }], pageParams: [null] };
  const answers = new Answers().of(jobQuery(8), job(8)).of(jobQuery(11), job(11)).of(comparisonQuery([8, 11], 8, 0), { base: 8, jobs: [] });
  answers.of(jobsQuery({ state: "succeeded" }), listed).of(arrivedQuery, [{ ...job(12), state: "running" } as JobView, job(11)]);
  const page = await drawn(<ComparePage />, "/compare", answers);
  expect(page.querySelectorAll("form input[type=checkbox]")).toHaveLength(3);
  const submit = () => page.querySelector<HTMLButtonElement>("form button[type=submit]");
  expect([submit()?.textContent, submit()?.disabled]).toEqual(["Compare the latest two", false]);
  await act(async () => page.querySelector<HTMLInputElement>("form input")?.click());
  expect([submit()?.textContent, submit()?.disabled], "one is chosen").toEqual(["Compare", true]);
  await act(async () => page.querySelector<HTMLInputElement>("form input")?.click());
  await act(async () => submit()?.click());
  expect(text(page, "section[aria-label='Jobs that are compared'] li a[href^='/jobs/']"), "the older one first").toEqual(["job 8", "job 11"]);
});

it("has a command to begin with where no job is chosen", async () => {
  expect(text(await drawn(<ComparePage />, "/compare"), "pre")[0]).toContain("ringscope diff");
});

const INSTEAD = {
  algorithm: "ring", in_place: false, sentence: "Job 9 and job 7 measured no common size.",
  base_min_bytes: 1024, base_max_bytes: 1536, min_bytes: null, max_bytes: null, ratio_least: null, ratio_most: null,
};

it("says the server's sentence where no size is common, and offers to measure the base job's sizes", async () => {
  const row = aComparedRow();
  const jobs = [
    { job_id: 7, obstacles: [], caveats: [], interpolated: [], rows: [row] },
    { job_id: 9, obstacles: [], caveats: [], interpolated: [INSTEAD], rows: [{ ...row, size_bytes: 8 }] },
  ];
  const answers = sweeps().of(comparisonQuery([7, 9], 7, 0), { base: 7, jobs }).of(meQuery, { role: "operator" } as never);
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", answers);
  expect(text(page, "[role=status] p")).toEqual([`${INSTEAD.sentence} Measure job 9 again at the sizes of job 7`]);
  const search = new URL(page.querySelector<HTMLAnchorElement>("[role=status] a")?.href ?? "", "http://h").searchParams;
  expect([search.get("from"), search.get("min"), search.get("max")]).toEqual(["9", "1 KiB", "1536 B"]);
  const other = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=mpi", answers);
  expect(text(other, "[role=status] p")).not.toContain(INSTEAD.sentence);
});

it("offers jobs where none is chosen, of one kind and no more than can be compared", async () => {
  const created_at = new Date(Date.now() - 2 * 3600 * 1000).toISOString();
  const kinds = [aJob({ id: 9, name: "b", created_at }), aTraining({ id: 8, created_at }), aJob({ id: 7, name: "a", created_at })];
  const answers = new Answers().of(jobsQuery({ state: "succeeded" }), { pages: [{ items: kinds, next: null }], pageParams: [null] });
  const page = await drawn(<ComparePage />, "/compare", answers);
  const boxes = [...page.querySelectorAll<HTMLInputElement>("form input")];
  const button = page.querySelector<HTMLButtonElement>("form button");
  expect(text(page, "h1"), "there is no kind yet").toEqual(["Compare jobs"]);
  const work = "all-reduce 8 B – 64 MiB, 4 ranks, 2 h ago";
  expect(text(page, "form label")).toEqual([` job 9 b${work}`, expect.stringMatching(/^ job 8 digitsmlp on digits, batch \d+, 4 ranks, 2 h ago$/), ` job 7 a${work}`]);
  act(() => boxes[2]?.click());
  expect(text(page, "form label")[2], "the first is the base job").toBe(` job 7 ★a${work}`);
  expect([boxes[1]?.disabled, button?.disabled], "training cannot be compared with a benchmark").toEqual([true, true]);
  act(() => boxes[0]?.click());
  expect(button?.disabled).toBe(false);
  answers.of(jobQuery(7), aJob({ id: 7 })).of(jobQuery(9), aJob({ id: 9 }));
  await act(async () => button?.click());
  expect(text(page, "h2"), "the choice is made").not.toContain("Choose jobs to compare");
});

it("offers jobs to compare with where one is chosen", async () => {
  const answers = sweeps().of(jobsQuery({ state: "succeeded", kind: "benchmark" }), { pages: [{ items: [aJob({ id: 9 })], next: null }], pageParams: [null] });
  const page = await drawn(<ComparePage />, "/compare?ids=7", answers);
  expect(text(page, "h2"), "the job has a page of its own").toEqual(["Choose what to compare job 7 with"]);
  expect(text(page, "main, .page")[0]?.match(/job 7/g), "its heading, and its line").toHaveLength(2);
  expect([...page.querySelectorAll<HTMLInputElement>("form input")].map(({ checked }) => checked)).toEqual([true, false]);
});

it("names what was simulated in every heading, and of how many iterations a time is", async () => {
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", sweeps());
  const headings = text(page, "thead th");
  expect(headings).toContain("SIMULATED job 9");
  expect(headings).toContain(" SIMULATED job 9 n=20");
  expect(headings).toContain(" job 7, base job n=20");
});

it("has on a phone the times and the differences, with their intervals in words", async () => {
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", sweeps());
  expect(text(page, "[aria-label^='Times by size'] thead tr:last-child th")).toEqual([
    "Size", "job 7 mean (µs)", "SIMULATED job 9 mean (µs)", "SIMULATED job 9 difference",
  ]);
  expect([...page.querySelectorAll("[aria-label^='Times by size'] thead tr:first-child th")].map((head) => head.getAttribute("colspan"))).toEqual(["1", "2"]);
  expect(page.textContent).toContain("a wider window and the CSV have the bus bandwidths too");
});

it("has time and bus bandwidth of each job beside the difference", async () => {
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", sweeps(), 1280);
  expect(text(page, "[aria-label^='Times by size'] thead tr:last-child th")).toEqual([
    "Size", "job 7 mean (µs)", "job 7 busbw (GB/s)",
    "SIMULATED job 9 mean (µs)", "SIMULATED job 9 busbw (GB/s)", "SIMULATED job 9 difference", "SIMULATED job 9 95 % interval 2 × faster … 5 % slower",
  ]);
  const cells = text(page, "[aria-label^='Times by size'] tbody td");
  expect(cells.slice(0, 4)).toEqual(["10.0", "2.00", "5.00 unstable", "4.00"]);
  expect(cells[4]).toMatch(/^2 × faster/);
  expect(page.querySelector("tbody svg")?.getAttribute("aria-label")).toBe("no 95 % interval");
});

it("says under its chart and its table that the numbers are means", async () => {
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", sweeps());
  expect(text(page, "figcaption")[0]).toContain("each point is the mean of the timed iterations");
  expect(page.textContent).toContain("Times are means");
  expect(page.querySelector("[role=status]")?.textContent).toContain(" Means decide.");
});

it("shows the medians that the differences are made of where all rows have them, and says so", async () => {
  const base = aComparedRow({ time_us: 30, median_us: 10, busbw_gb_per_s: 2 });
  const other = { ...base, time_us: 20, median_us: 5, busbw_gb_per_s: 3, against };
  const job = (job_id: number, rows: (typeof base)[]) => ({ job_id, obstacles: [], caveats: [], interpolated: [], rows });
  const answers = (row: typeof base) => sweeps().of(comparisonQuery([7, 9], 7, 0), { base: 7, jobs: [job(7, [base]), job(9, [row])] });
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", answers(other), 1280);
  expect(text(page, "[aria-label^='Times by size'] thead tr:last-child th")).toContain("job 7 median (µs)");
  expect(text(page, "[aria-label^='Times by size'] tbody td").slice(0, 4)).toEqual(["10.0", "6.00", "5.00", "12.0"]);
  expect(text(page, "figcaption")[0]).toContain("each point is the median of the rounds");
  expect(page.textContent).toContain("Times are medians of the rounds");
  expect(page.querySelector("[role=status]")?.textContent).toContain(" Medians of rounds decide.");
  const means = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", answers({ ...other, median_us: null as never }), 1280);
  expect(text(means, "[aria-label^='Times by size'] tbody td").slice(0, 4)).toEqual(["30.0", "2.00", "20.0", "3.00"]);
});

it("draws the spread, which can be switched off, and marks what is unstable", async () => {
  await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", sweeps());
  expect(beside.at(-1)).toEqual([[[[1024, 1.25, 2.5]], []], [[[1024, 2.5, 5]], [1024]]]);
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring&band=off", sweeps());
  expect(beside.at(-1)).toEqual([[[], []], [[], [1024]]]);
  expect(text(page, "[aria-label=Spread] label")).toEqual(["p5 – p95", "no spread"]);
});

it("leaves jobs out of the chart, and has a logarithmic axis, as the address says", async () => {
  await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring", sweeps());
  expect(plotted.at(-1)).toEqual([false, "job 7", "SIMULATED job 9"]);
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&algorithm=ring&y=log&hide=7", sweeps());
  expect(plotted.at(-1)).toEqual([true, "SIMULATED job 9"]);
  expect(text(page, "button[aria-pressed=false]")).toContain(" job 7");
});

it("says where nothing differs", async () => {
  const page = await drawn(<Differences jobs={[aTraining({ id: 7 }), aTraining({ id: 9 })]} />, "/compare");
  expect(page.textContent).toContain("Neither the specifications nor the known nodes and versions differ");
});

it("folds away what is the same in all jobs", async () => {
  const { spec } = aJob();
  const fewer = { ...spec, placement: { ...spec.placement, ranks: 2 } };
  const page = await drawn(<Differences jobs={[aJob({ id: 7 }), aJob({ id: 9, spec: fewer })]} />, "/compare");
  expect(text(page, "[aria-label^='Fields that differ'] tbody th")).toEqual(["ranks"]);
  expect(page.querySelector("details")?.open).toBe(false);
  const rows = text(page, "[aria-label^='Fields that are the same'] tbody tr");
  expect(rows).toContain("collectiveall_reduce");
  expect(text(page, "summary")).toEqual([`${rows.length} that are the same`]);
});

it("says that the versions of a job could not be loaded", async () => {
  const answers = await sweeps().failing(environmentsQuery(9), "The disk is full.");
  expect(text(await drawn(<ComparePage />, "/compare?ids=7,9", answers), "[role=alert]")).toEqual([expect.stringContaining("The disk is full.")]);
});

const curveOf = (...points: CurvePoint[]) => ({ attempts: [], epochs: [], points, steps_per_point: 1 });

function training(): Answers {
  const answers = new Answers();
  for (const id of [7, 9]) answers.of(jobQuery(id), aTraining({ id, state: "succeeded" })).of(epochsQuery(id, 2), []);
  return answers.of(curveQuery(9, true), curveOf());
}

it("says that a training job's curve could not be loaded, and draws nothing before it is there", async () => {
  const pending = await drawn(<ComparePage />, "/compare?ids=7,9", training());
  expect(pending.querySelector("[aria-busy=true]")).not.toBeNull();
  expect(text(pending, "h2")).not.toContain("Curves");
  const failed = await training().failing(curveQuery(7, true), "The disk is full.");
  expect(text(await drawn(<ComparePage />, "/compare?ids=7,9", failed), "[role=alert]")).toEqual([expect.stringContaining("The disk is full.")]);
});

it("has the curves of training as tables", async () => {
  const curve = curveOf(aPoint({ loss: 0.5 }), aPoint({ first_step: 10, last_step: 19, loss: 0.25 }));
  const page = await drawn(<ComparePage />, "/compare?ids=7,9&view=table", training().of(curveQuery(7, true), curve));
  expect(text(page, "[aria-label='Training loss by steps'] tbody tr")).toEqual(["5.000.500", "15.00.250"]);
});

it("answers which training is faster and what that may come from, with the same means everywhere", async () => {
  const job = (id: number, change: Partial<TrainingSummary>, disturbed_by: string | null = null) => {
    const { summary } = aTraining();
    return aTraining({ id, state: "succeeded", summary: { ...(summary as TrainingSummary), ...change }, attempts: [anAttempt({ disturbed_by })] });
  };
  const rate = (value: number) => aPoint({ samples_per_second: value });
  const answers = training()
    .of(jobQuery(7), job(7, { samples_per_second: 200, step_seconds: 4, timed_steps: 10 }))
    .of(jobQuery(9), job(9, { samples_per_second: 400, step_seconds: 2, timed_steps: 10 }, "Other load took 30 % of the processors of node a."))
    .of(curveQuery(7, true), curveOf(rate(150), rate(900)))
    .of(curveQuery(9, true), curveOf(rate(500), rate(100)));
  const page = await drawn(<ComparePage />, "/compare?ids=7,9", answers);
  expect(text(page, "[role=status] p")).toEqual([
    "Job 9 trains 400 samples/s, 2 × as many as job 7 with 200. These are means over all steps but the first of each attempt.",
    "⚠ Job 9 was disturbed, so differences may come from that. Other load took 30 % of the processors of node a.",
  ]);
  const rows = text(page, "[aria-label^='Figures'] tbody tr");
  expect(rows.slice(0, 2)).toEqual(["Throughput, mean (samples/s)200400 2.00×", "Step, mean (ms)400200 0.500×"]);
  const legend = text(page, "[aria-labelledby=curves] figure").find((figure) => figure.startsWith("Throughput"));
  expect(legend, "the newest points would say the opposite").toContain("meanjob 7 200/sjob 9 400/s");
});
