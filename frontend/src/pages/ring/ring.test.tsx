// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import { jobQuery } from "../../data/job";
import { exampleQuery } from "../../data/planning";
import { engineQuery } from "../../data/server";
import { tracesQuery } from "../../data/traces";
import { aRingOfThree } from "../../testing/exampleFixture";
import { aJob, anEngine, aSimulation } from "../../testing/fixtures";
import { exampleQuestion, ringForm } from "../../lib/form/ringForm";
import { Answers, drawn } from "../../testing/page";
import { JobRingPage } from "./JobRingPage";
import { RingPage } from "./RingPage";

vi.mock("../../data/live", () => ({ useTopic: () => undefined }));

const known = (): Answers => new Answers().of(engineQuery, anEngine()).of(exampleQuery(exampleQuestion(ringForm({}))), aRingOfThree());

it("says at its head and in its title that the times of the example are the model's", async () => {
  const page = await drawn(<RingPage />, "/ring", known());
  expect(page.querySelector(".page-head")?.textContent).toMatch(/^SIMULATED/);
  expect(document.title).toContain("SIMULATED ring, step by step");
});

it("says that it does not know what can be shown", async () => {
  const page = await drawn(<RingPage />, "/ring", await known().failing(engineQuery, "The disk is full."));
  expect(page.querySelector("[role=alert]")?.textContent).toContain("The collectives could not be loaded. The disk is full.");
});

it("says in the title of a simulated job's ring that it is simulated", async () => {
  const job = aJob({ id: 7, state: "succeeded", spec: aSimulation() });
  await drawn(<JobRingPage />, "/jobs/7/ring", new Answers().of(engineQuery, anEngine()).of(jobQuery(7), job).of(tracesQuery(7, true), []));
  expect(document.title).toBe("ring · SIMULATED job 7 · ringscope");
});

it("has its title and a skeleton while the traces of a job are on their way", async () => {
  const page = await drawn(<JobRingPage />, "/jobs/7/ring", new Answers().of(jobQuery(7), aJob({ id: 7 })));
  expect(page.querySelectorAll("[aria-busy=true]")).toHaveLength(1);
  expect(document.title).toBe("ring · job 7 · ringscope");
});
