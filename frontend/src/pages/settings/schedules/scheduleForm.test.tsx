// @vitest-environment jsdom
import { act } from "react";
import { expect, it } from "vitest";
import type { ScheduleView } from "../../../api/types";
import { recentJobsQuery } from "../../../data/jobs";
import { cronTimesQuery } from "../../../data/settings";
import { aJob } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { ScheduleForm } from "./ScheduleForm";
import { textsOf } from "../useSettingsForm";

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function answers(): Answers {
  const times = ["2036-01-02T02:00:00Z", "2036-01-03T02:00:00Z"];
  return new Answers().of(recentJobsQuery, [{ ...aJob(), id: 9 }, { ...aJob(), id: 8 }]).of(cronTimesQuery("0 2 * * *", ZONE), times);
}

async function form(from?: number): Promise<HTMLFormElement> {
  const nothing = (): void => undefined;
  const page = await drawn(<ScheduleForm from={from} onDone={nothing} onCancel={nothing} />, "/", answers());
  return page.querySelector("form") as HTMLFormElement;
}

async function choose(within: HTMLFormElement, option: string): Promise<void> {
  const select = within.querySelector(`option[value="${option}"]`)?.closest("select") as HTMLSelectElement;
  await act(async () => {
    select.value = option;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

it("repeats the newest job or that of the address, each night in the browser's time zone, and shows the next times", async () => {
  const shown = await form();
  expect(textsOf(shown)).toMatchObject({ cron: "0 2 * * *", timezone: ZONE, job: "9" });
  expect(shown.querySelectorAll("ol[aria-label='Next times'] time")).toHaveLength(2);
  expect(shown.querySelector("textarea")).toBeNull();
});

it("takes a job that is older than the list from the address", async () => {
  expect(textsOf(await form(3))).toMatchObject({ job: "3", name: "job 3" });
});

it("writes the cron expression from the chosen times", async () => {
  const shown = await form();
  await choose(shown, "weekday");
  expect(textsOf(shown).cron).toBe("0 2 * * MON-FRI");
  await choose(shown, "minutes");
  expect(textsOf(shown).cron).toBe("*/15 * * * *");
});

it("asks for the share of drained nodes only if the schedule repeats a diagnosis, or a job of unknown kind", async () => {
  const diagnosis = { ...aJob(), id: 7, kind: "diagnosis" as const };
  const known = answers().of(recentJobsQuery, [{ ...aJob(), id: 9 }, diagnosis]);
  const nothing = (): void => undefined;
  const page = await drawn(<ScheduleForm onDone={nothing} onCancel={nothing} />, "/", known);
  const shown = page.querySelector("form") as HTMLFormElement;
  expect(textsOf(shown)).not.toHaveProperty("drain");
  await choose(shown, "7");
  expect(textsOf(shown)).toMatchObject({ job: "7", drain: "" });
  await choose(shown, "number");
  expect(textsOf(shown)).toMatchObject({ drain: "" });
});

it("keeps the share of a schedule, as a percentage", async () => {
  const nothing = (): void => undefined;
  const schedule = {
    id: 1, name: "nightly", spec: { kind: "diagnosis" } as ScheduleView["spec"], cron: "0 2 * * *", timezone: ZONE, overlap: "skip", is_enabled: true, user: "ada",
    revision: 1, created_at: "2036-01-01T00:00:00Z", next_fire_at: null, last_fire_at: null, last_job_id: null, last_outcome: "", drain_on_blame: 0.15,
  } satisfies ScheduleView;
  const page = await drawn(<ScheduleForm schedule={schedule} onDone={nothing} onCancel={nothing} />, "/", answers());
  expect(textsOf(page.querySelector("form") as HTMLFormElement)).toMatchObject({ drain: "15" });
});

it("asks for a specification only if it is chosen instead of a job", async () => {
  const shown = await form();
  await choose(shown, "spec");
  expect(textsOf(shown).job).toBeUndefined();
  expect(JSON.parse(textsOf(shown).spec ?? "")).toMatchObject({ placement: { ranks: 2 } });
});
