// @vitest-environment jsdom
import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { newestStepsQuery } from "../../../data/job";
import { logOutlineQuery } from "../../../data/log";
import { aJob, anAttempt, aTraining } from "../../../testing/fixtures";
import { aBlock, someSteps } from "../../../testing/resultFixtures";
import { Answers, drawn } from "../../../testing/page";
import { Now } from "./Now";
// Parts that are loaded on demand are loaded here.
import "../log/LastLines";
import "./Steps";

afterEach(() => {
  vi.useRealTimers();
});

it("shows what each rank is at once a second at most, and the newest of it then", async () => {
  const job = aJob({ id: 7, state: "running", attempts: [anAttempt()] });
  const at = (step: number) => someSteps([aBlock({ last_step: step })], { job_id: 7, attempt_id: 1 });
  const answers = new Answers().of(newestStepsQuery(7), at(1001));
  const page = await drawn(<Now job={job} />, "/jobs/7", answers);
  const shown = (): number[] => [1001, 1002, 1003, 1004].filter((step) => page.querySelector("table")?.textContent.replaceAll(",", "").includes(String(step)));
  expect(shown()).toEqual([1001]);
  vi.useFakeTimers();
  for (const step of [1002, 1003, 1004]) await act(async () => answers.of(newestStepsQuery(7), at(step)));
  expect(shown()).toEqual([1002]);
  await act(async () => vi.advanceTimersByTime(1000));
  expect(shown()).toEqual([1004]);
});

it.each(["failed", "cancelled"] as const)("keeps the last steps of training that %s, also if the page is opened later", async (state) => {
  const of = (done: number) => ({ ...aTraining({ id: 7, state, attempts: [anAttempt()] }), progress: { done, total: 50 } });
  const answers = new Answers()
    .of(newestStepsQuery(7), someSteps([aBlock({ last_step: 41, loss: 2 })], { job_id: 7, attempt_id: 1 }))
    .of(logOutlineQuery(7, {}), { lines: 0, cursors: [], last_id: 0, lines_per_page: 500 } as never);
  const page = await drawn(<Now job={of(42)} />, "/jobs/7", answers);
  const steps = page.querySelector("[aria-label='Last steps']");
  expect(steps?.querySelector("tbody")?.textContent).toContain("41");
  expect(page.querySelector("[aria-label='Last lines']") !== null).toBe(state === "failed");
  expect((await drawn(<Now job={of(0)} />, "/jobs/7", answers)).textContent).not.toContain("Last steps");
});

it("has a row without numbers for each rank of a job that waits", async () => {
  const page = await drawn(<Now job={aJob({ id: 7, state: "queued", ranks: 3 })} />, "/jobs/7", new Answers());
  await vi.waitFor(() => expect(page.querySelectorAll("tbody tr")).toHaveLength(3));
  expect(page.querySelector("tbody")?.textContent).toMatch(/^[012–]+$/);
  expect(page.textContent).toContain("The current step of each rank appears here once the job runs.");
});
