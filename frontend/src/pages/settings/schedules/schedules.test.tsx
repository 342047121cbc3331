// @vitest-environment jsdom
import { expect, it } from "vitest";
import type { ScheduleView } from "../../../api/types";
import { meQuery } from "../../../data/server";
import { schedulesQuery } from "../../../data/settings";
import { aJob, aSimulation, aTraining } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { SchedulesPage } from "./SchedulesPage";

function schedule(id: number, name: string, spec: object): ScheduleView {
  return {
    id, name, spec: spec as ScheduleView["spec"], cron: "0 2 * * *", timezone: "UTC", overlap: "skip", is_enabled: false, user: "ada", revision: 1,
    created_at: "2026-01-01T00:00:00Z", next_fire_at: null, last_fire_at: null, last_job_id: null, last_outcome: "",
  };
}

it("has SIMULATED before the name of a schedule whose jobs measure nothing", async () => {
  const schedules = [schedule(2, "model", aSimulation()), schedule(1, "nightly", aJob().spec)];
  const page = await drawn(<SchedulesPage />, "/settings/schedules?id=2", new Answers().of(schedulesQuery, schedules));
  expect([...page.querySelectorAll("tbody th")].map(({ textContent }) => textContent)).toEqual(["SIMULATED model", "nightly"]);
  expect(page.querySelector("h2#schedule")?.textContent).toBe("SIMULATED model");
});

it("says in words what each schedule submits", async () => {
  const schedules = [schedule(3, "model", aSimulation()), schedule(2, "train", aTraining().spec), schedule(1, "nightly", aJob().spec)];
  const page = await drawn(<SchedulesPage />, "/settings/schedules", new Answers().of(schedulesQuery, schedules));
  expect([...page.querySelectorAll("tbody td:nth-of-type(1)")].map(({ textContent }) => textContent)).toEqual([
    "all-reduce 8 B – 64 MiB, 32 simulated ranks",
    expect.stringMatching(/^mlp on digits, batch \d+, 4 ranks$/),
    "all-reduce 8 B – 64 MiB, 4 ranks",
  ]);
});

it("says so in a dialog about one, too", async () => {
  const answers = new Answers().of(schedulesQuery, [schedule(2, "model", aSimulation())]).of(meQuery, { role: "operator" } as never);
  const page = await drawn(<SchedulesPage />, "/settings/schedules?id=2", answers);
  const titles = [...page.querySelectorAll("dialog h2")].map(({ textContent }) => textContent);
  expect(titles).toEqual(expect.arrayContaining(["Edit schedule SIMULATED model", "Remove schedule SIMULATED model?"]));
});
