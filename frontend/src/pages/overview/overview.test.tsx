// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import type { BenchmarkJob, JobView } from "../../api/types";
import { activeJobsQuery, bestJobQuery, dayCountsQuery, recentJobsQuery } from "../../data/jobs";
import { applyEvents } from "../../data/deltas";
import { regressionsQuery } from "../../data/comparison";
import { clusterQuery, nodesQuery, readingsQuery, seenNow } from "../../data/nodes";
import { aBest, aJob, aNode, anAttempt, aTraining } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { JobBars } from "./JobBars";
import { OverviewPage } from "./OverviewPage";
import { RunningNow } from "./RunningNow";
import { SlowerFact } from "./SlowerFact";

const BLAME = { job_id: 7, kind: "link", names: ["n1", "n2"], sentence: "The link between n1 and n2 is slow." };

it("lists the problem of a running job, however many newer jobs there are", async () => {
  const insight = { id: 5, attempt_id: 1, kind: "hang", rank: 2, node: "n1", message: "No rank moves.", since: "2026-01-01T00:00:00Z", until: null } as const;
  const hanging = aJob({ id: 3, insights: [insight] });
  const newer = Array.from({ length: 30 }, (_, i) => aJob({ id: 40 - i, state: "succeeded" }));
  const answers = new Answers()
    .of(clusterQuery, { nodes_ready: 1, nodes_total: 1, slots_total: 1, slots_busy: 1, jobs_running: 1, jobs_queued: 0, jobs_finished: 30, blamed: [BLAME] } as never)
    .of(nodesQuery, [seenNow(aNode())])
    .of(recentJobsQuery, newer)
    .of(activeJobsQuery, [hanging]);
  const page = await drawn(<OverviewPage />, "/", answers);
  expect(page.querySelector("[aria-labelledby=alerts]")?.textContent).toContain("job 3: No rank moves.");
  const blamed = [...page.querySelectorAll("[aria-labelledby=alerts] a")].find(({ textContent }) => textContent === `job 7: ${BLAME.sentence}`);
  expect(blamed?.getAttribute("href")).toBe("/jobs/7");
  const mark = page.querySelector("[aria-labelledby=slots] a[title]");
  expect([mark?.textContent, mark?.getAttribute("href")]).toEqual(["link blamed by job\u00a07", "/jobs/7"]);
  await act(async () => void (await new Promise(requestAnimationFrame))); // rows follow with the next frame
  const { bars, rows } = places(page);
  expect([bars.split(",").reverse().join(), rows], "the same jobs").toEqual(["40,39,38,37,36,35,34,33,32,31,30,3", "3,40,39,38,37,36,35,34,33,32,31,30"]);
  expect(page.querySelector("#recent")?.textContent).toBe("Last 12 jobs");
});

it("says what running training does before its first step, and then marks what was disturbed", async () => {
  const { summary, ...job } = aTraining({ state: "running", attempts: [anAttempt({ disturbed_by: "Job 9 ran there." })] });
  const none = { ...job, summary: { ...summary, loss: null, steps_done: 0 } as typeof summary, progress: { done: 0, total: null } };
  const shown = async (one: JobView) => await drawn(<RunningNow jobs={[one]} waiting={0} />, "/");
  expect((await shown(none)).textContent).toContain("The ranks load PyTorch and the data; this takes up to a minute the first time.");
  expect((await shown({ ...none, state: "starting" })).textContent).toContain("no step yet");
  const marks = (page: HTMLElement) => [...page.querySelectorAll("[aria-label=disturbed]")].length;
  expect(marks(await shown({ ...job, summary }))).toBe(1);
});

/** The numbers of the jobs in the order of their bars, and of their rows. */
function places(page: HTMLElement): { bars: string; rows: string } {
  const links = (where: string): string => [...page.querySelectorAll(where)].map((link) => link.getAttribute("href")?.slice("/jobs/".length)).join();
  return { bars: links("figure a"), rows: links("tbody a") };
}

it.each([
  ["pointed at", () => new MouseEvent("pointerover", { bubbles: true }), () => new MouseEvent("pointerout", { bubbles: true })],
  ["in focus", () => new FocusEvent("focusin", { bubbles: true }), () => new FocusEvent("focusout", { bubbles: true })],
])("moves no job while the list is %s, and says what waits", async (_, enter, leave) => {
  const answers = new Answers()
    .of(recentJobsQuery, [aJob({ id: 2, state: "queued" }), aJob({ id: 1, state: "queued" })])
    .of(activeJobsQuery, []);
  const page = await drawn(<OverviewPage />, "/", answers);
  await act(async () => void (await new Promise(requestAnimationFrame))); // rows follow with the next frame
  const arrives = (job: JobView) => act(async () => applyEvents(answers.client, [{ name: "job", data: job }]));
  const bars = page.querySelector("figure") as HTMLElement;
  await act(async () => bars.dispatchEvent(enter()));
  await arrives(aJob({ id: 1, state: "running" }));
  await arrives(aJob({ id: 3, state: "queued" }));
  expect(places(page)).toEqual({ bars: "1,2", rows: "2,1" });
  expect(page.querySelector("tbody")?.textContent).toContain("running");
  expect(page.querySelector("[role=status]")?.textContent).toContain("1 new job");
  await act(async () => bars.dispatchEvent(leave()));
  expect(places(page)).toEqual({ bars: "1,2,3", rows: "1,3,2" });
  expect(page.querySelector("[role=status]")?.textContent).toBe("");
});

it("lists what needs attention below the lists, which it must not move", async () => {
  const page = await drawn(<OverviewPage />, "/", new Answers()
    .of(nodesQuery, [seenNow(aNode({ observed: "lost" }))])
    .of(recentJobsQuery, [aJob()])
    .of(activeJobsQuery, []));
  const sections = [...page.querySelectorAll("section")].map((section) => section.getAttribute("aria-labelledby"));
  expect(sections).toEqual(["slots", "running", "recent", "alerts"]);
});

it.each([
  ["nothing measured yet", null],
  ["…", undefined],
])("has a place for the best of the day that says %s", async (note, best) => {
  const midnight = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const answers = new Answers()
    .of(clusterQuery, { nodes_ready: 1, nodes_total: 1, slots_total: 1, slots_busy: 0, jobs_running: 0, jobs_queued: 0, jobs_finished: 1, blamed: [] } as never)
    .of(nodesQuery, [seenNow(aNode())])
    .of(recentJobsQuery, [aJob()])
    .of(activeJobsQuery, []);
  const page = await drawn(<OverviewPage />, "/", best === undefined ? answers : answers.of(bestJobQuery(midnight), best));
  expect(page.textContent).toContain(`Best bus bandwidth today–${note}`);
});

const SLOWER = { job_id: 9, base_job_id: 7, collective: "all_reduce", algorithm: "ring", size_bytes: 1 << 20, nodes: ["n1", "n2"], ratio: 1.5, ratio_low: 1.4, ratio_high: 1.6 };

it.each([
  [{ pairs: 0, items: [] }, "–no undisturbed benchmark ran on both days", null],
  [{ pairs: 2, items: [] }, "02 benchmarks compared", null],
  [{ pairs: 2, items: [SLOWER] }, "1ring at 1 MiB on n1, n2 takes 1.50 times as long: compare job\u00a09 with 7", "/compare?ids=7,9&algorithm=ring"],
  [{ pairs: 2, items: [SLOWER, SLOWER] }, "compare job\u00a09 with 7; 1 more", "/compare?ids=7,9&algorithm=ring"],
])("says what became slower since the day before: %j", async (found, words, link) => {
  const page = await drawn(<SlowerFact />, "/", new Answers().of(regressionsQuery, found));
  expect(page.textContent).toContain(words);
  expect(page.querySelector("a")?.getAttribute("href") ?? null).toBe(link);
});

/** The height and text of each job's bar, the oldest first; undefined: there is no bar. */
async function bars(jobs: JobView[]) {
  const figure = await drawn(<JobBars jobs={jobs} />, "/");
  const links = [...figure.querySelectorAll("a")];
  return {
    heights: links.map((link) => link.querySelector<HTMLElement>("[style]")?.style.height),
    outlined: links.map((link) => link.querySelector("[style]")?.hasAttribute("data-tone") === false),
    titles: links.map((link) => link.matches("[data-reason]") && link.getAttribute("aria-label")),
    caption: figure.querySelector("figcaption")?.textContent ?? "",
  };
}

function measured(id: number, busbw: number, change: Partial<BenchmarkJob> = {}): JobView {
  const best = [aBest({ busbw_gb_per_s: busbw })];
  const { summary } = aJob();
  return aJob({ id, state: "succeeded", summary: { ...summary, best }, ...change });
}

it("has no bar for a job without a value, and only what holds up sets the heights", async () => {
  const disturbed = [anAttempt({ disturbed_by: "Job 9 ran there." })];
  const { spec } = aJob();
  const shortest = { ...spec, benchmark: { ...spec.benchmark, average: "min" as const } };
  const { heights, titles, caption } = await bars([
    measured(7, 110, { spec: shortest }),
    aJob({ id: 6, state: "queued" }),
    measured(5, 100, { state: "running" }),
    measured(4, 90, { state: "failed" }),
    measured(3, 80, { attempts: disturbed }),
    measured(2, 20),
    measured(1, 10),
  ]);
  expect(heights).toEqual(["50%", "100%", undefined, undefined, undefined, undefined, undefined]);
  expect(caption).toContain("the tallest of them, 20.0 GB/s");
  expect(titles[2]).toContain("80.0 GB/s\ndisturbed: Job 9 ran there.");
  expect(titles[3]).toContain("90.0 GB/s\nfailed: It failed: these are the rows measured until then.");
  expect(titles[6]).toContain("110 GB/s\naverage min: It asked for the shortest of the ranks' times.");
  expect(titles[1]).toContain("20.0 GB/s\nthe rate of its links is not known");
});

it("holds a bar against its own links' limit, and one without it against others of these alone", async () => {
  const limited = (id: number, busbw: number, limit: number) => {
    const job = measured(id, busbw);
    return { ...job, summary: { ...job.summary, limit_gb_per_s: limit } } as JobView;
  };
  const { heights, titles, caption, outlined } = await bars([limited(4, 120, 100), limited(3, 50, 200), measured(2, 20), measured(1, 10)]);
  expect(heights).toEqual(["50%", "100%", "25%", "100%"]);
  expect(outlined).toEqual([true, true, false, false]);
  expect(titles[2]).toContain("50.0 GB/s\n25.0 % of its links' limit");
  expect(caption).toContain("of their links' limit");
  expect(caption).toContain("the tallest of them, 20.0 GB/s");
});

it.each([
  [{}, "all-reduce by ring at 64 MiB, n=20, job\u00a08"],
  [{ iterations: null }, "all-reduce by ring at 64 MiB, job\u00a08"],
  [{ is_unstable: true }, "all-reduce by ring at 64 MiB, n=20, job\u00a08 unstable"],
])("shows size, iterations and stability of the best of today: %j", async (change, note) => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 0, 2) });
  const best = [aBest({ size_bytes: 2 ** 26, ...change })];
  const job = aJob({ id: 8, state: "succeeded", summary: { ...aJob().summary, best } });
  const page = await drawn(<OverviewPage />, "/", new Answers()
    .of(clusterQuery, { nodes_ready: 1, nodes_total: 1, jobs_running: 0, jobs_queued: 0, jobs_finished: 1, blamed: [] } as never)
    .of(recentJobsQuery, [job])
    .of(bestJobQuery(new Date(2026, 0, 2).toISOString()), job));
  vi.useRealTimers();
  const facts = [...page.querySelectorAll("dl > div")].map(({ textContent }) => textContent);
  expect(facts.find((text) => text.startsWith("Best bus bandwidth today"))).toContain(note);
});

it("says of a bar's best that it is unstable", async () => {
  const { titles } = await bars([measured(1, 10, { summary: { ...aJob().summary, best: [aBest({ is_unstable: true })] } })]);
  expect(titles[0]).toContain("unstable: The iterations differ so much");
});

it("shows the best of a busy day with its caveat, what ended against the day before, and what runs", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 0, 2, 12) });
  const finished = new Date(2026, 0, 2, 8).toISOString();
  const disturbed = measured(8, 7, { finished_at: finished, attempts: [anAttempt({ disturbed_by: "Other load took 20 % of the processors." })] });
  const sizes = [{ size_bytes: 8, busbw_gb_per_s: 1, is_unstable: false }, { size_bytes: 64, busbw_gb_per_s: 2, is_unstable: false }];
  const running = measured(9, 2, { state: "running", progress: { done: 3, total: 10 } });
  const page = await drawn(<OverviewPage />, "/", new Answers()
    .of(clusterQuery, { nodes_ready: 1, nodes_total: 1, jobs_running: 1, jobs_queued: 2, jobs_finished: 1, blamed: [] } as never)
    .of(nodesQuery, [seenNow(aNode())])
    .of(recentJobsQuery, [running, disturbed])
    .of(activeJobsQuery, [{ ...running, summary: { ...running.summary, sizes } } as JobView])
    .of(readingsQuery, [])
    .of(dayCountsQuery, { day: { finished: 4, failed: 1 }, dayBefore: { finished: 9, failed: 0 } })
    .of(bestJobQuery(new Date(2026, 0, 2).toISOString()), null));
  vi.useRealTimers();
  const facts = [...page.querySelectorAll("dl > div")].map(({ textContent }) => textContent);
  expect(facts).toContain("Ended in 24 hours41 failed; the day before 9, 0 failed");
  expect(facts.at(-1)).toMatch(/^Best bus bandwidth today7.00 GB\/s.*job\u00a08 disturbed$/);
  expect(page.querySelector("[data-health]")?.textContent).toContain("1 job failed in the last 24 hours.");
  const card = page.querySelector("[aria-labelledby=running]");
  expect(card?.textContent).toContain("2 jobs waiting");
  expect(card?.querySelector("svg")?.getAttribute("aria-label")).toContain("2.00 GB/s at 64 B");
});
