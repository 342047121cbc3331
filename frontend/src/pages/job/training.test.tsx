// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import type { EpochView } from "../../api/types";
import scroll from "../../components/controls/ScrollX.module.css";
import { meQuery } from "../../data/server";
import { bucketsQuery, curveQuery, newestEpochsQuery } from "../../data/training";
import { anAttempt, aTraining } from "../../testing/fixtures";
import { aPoint, someBuckets } from "../../testing/resultFixtures";
import { Answers, drawn } from "../../testing/page";
import { JobHeader } from "./header/JobHeader";
import { JobTab } from "./JobTab";
import { Situation } from "./situation/Situation";
import { TrainingResults } from "./training/TrainingResults";

vi.mock("uplot", () => ({ default: vi.fn() }));

it("has what grows with the epochs last, in a height of its own", async () => {
  const job = aTraining();
  const done = job.summary.kind === "benchmark" ? 0 : job.summary.epochs_done;
  const epoch = { id: 1, epoch: 1, step: 5, samples: 100, duration_us: 1000, training_loss: 1, attempt: 1 } as EpochView;
  const answers = new Answers()
    .of(curveQuery(job.id, false), { points: [aPoint()], steps_per_point: 1, attempts: [], epochs: [] })
    .of(bucketsQuery(job.id, false), someBuckets())
    .of(newestEpochsQuery(job.id, done), [epoch]);
  const page = await drawn(<TrainingResults job={job} />, `/jobs/${job.id}?view=table&inside=table`, answers);
  const sections = [...page.querySelectorAll("section")].map((section) => section.getAttribute("aria-labelledby"));
  expect(sections).toEqual(["curve", "buckets", "epochs"]);
  expect(page.querySelector("[aria-labelledby=epochs] [role=region]")?.className.split(" ")).toContain(scroll.tall);
});

it("says so where the job ended before its first step, and what to run", async () => {
  const job = { ...aTraining(), state: "cancelled", progress: { done: 0, total: null } } as const;
  const page = await drawn(<JobTab job={job} tab="results" rows={undefined} isFailed={false} />, `/jobs/${job.id}`);
  await vi.waitFor(() => expect(page.textContent).toContain("No step was measured"));
  expect(page.querySelector("pre")?.textContent).toContain(`ringscope why ${job.id}`);
});

it("says which loss it is, and how far training is while the number of all steps is not known", async () => {
  const { summary, ...job } = aTraining({ state: "running", started_at: "2026-01-01T00:00:00Z" });
  const first = { ...job, summary: { ...summary, epochs_done: 0 } as typeof summary, progress: { done: 370, total: null } };
  const page = await drawn(<Situation job={first} rows={undefined} />, `/jobs/${job.id}`);
  await vi.waitFor(() => expect(page.textContent).toContain("of the newest step"));
  expect(page.textContent).toContain("370 steps so far");
  expect(page.textContent).not.toContain("?");
});

it.each([
  ["mirrored", "Measure one rank"],
  ["pipeline", "one rank alone was not measured"],
] as const)("offers to measure one rank beside training with %s if one rank can run it", async (strategy, words) => {
  const job = aTraining({ ranks: 2, state: "succeeded" });
  const training = { ...job.spec.training, strategy } as typeof job.spec.training;
  const answers = new Answers().of(meQuery, { role: "operator" } as never);
  const page = await drawn(<Situation job={{ ...job, spec: { ...job.spec, training } } as typeof job} rows={undefined} />, `/jobs/${job.id}`, answers);
  await vi.waitFor(() => expect(page.textContent).toContain(words));
  const link = page.querySelector("dl a[href^='/jobs/new']")?.getAttribute("href");
  expect(link).toBe(words === "Measure one rank" ? `/jobs/new?from=${job.id}&ranks=1` : undefined);
});

it("says before the first step what the ranks do, and marks what was disturbed as for a benchmark", async () => {
  const { summary, ...job } = aTraining({ state: "running", started_at: "2026-01-01T00:00:00Z" });
  const none = { ...job, summary: { ...summary, loss: null, steps_done: 0, epochs_done: 0 } as typeof summary, progress: { done: 0, total: null } };
  const card = (page: HTMLElement) => page.querySelector("[aria-label=Outcome]")?.textContent;
  expect(card(await drawn(<Situation job={none} rows={undefined} />, `/jobs/${job.id}`))).toMatch(/^The ranks load PyTorch and the data;/);
  const ended = aTraining({ state: "succeeded", started_at: job.started_at, attempts: [anAttempt({ disturbed_by: "Other load took 86 % of the processors." })] });
  expect(card(await drawn(<Situation job={ended} rows={undefined} />, `/jobs/${job.id}`))).toMatch(/^Disturbed\. .*Other load took 86 % of the processors\./);
  const header = (await drawn(<JobHeader job={ended} rows={[]} isSimulated={false} />, `/jobs/${job.id}`)).textContent;
  expect(header).toContain("disturbed");
});

it("keeps room for sentences that may come only where one may", async () => {
  const settled = async (job: ReturnType<typeof aTraining>) =>
    (await drawn(<Situation job={job} rows={undefined} />, `/jobs/${job.id}`)).querySelector("[data-settled]") !== null;
  expect(await settled(aTraining({ state: "succeeded" }))).toBe(true);
  expect(await settled(aTraining({ state: "running" }))).toBe(false);
});
