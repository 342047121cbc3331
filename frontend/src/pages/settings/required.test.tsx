// @vitest-environment jsdom
import { act, type ReactElement } from "react";
import { expect, it } from "vitest";
import { recentJobsQuery } from "../../data/jobs";
import { cronTimesQuery, eventTypesQuery } from "../../data/settings";
import { DrainDialog } from "../../components/controls/DrainDialog";
import { aNode } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { ScheduleForm } from "./schedules/ScheduleForm";
import { TokenForm } from "./TokenForm";
import { WebhookForm } from "./webhooks/WebhookForm";

const nothing = (): void => undefined;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const FORMS: [name: string, form: ReactElement, chosen: string | null, required: string[]][] = [
  ["a token", <TokenForm key="token" onDone={nothing} onCancel={nothing} />, "agent", ["Name *", "Node *"]],
  ["a webhook", <WebhookForm key="webhook" save={() => Promise.resolve()} onDone={nothing} onCancel={nothing} />, null, ["Name *", "URL *"]],
  ["a schedule", <ScheduleForm key="schedule" onDone={nothing} onCancel={nothing} />, "number", ["Name *", "Number of the job *"]],
  ["draining a node", <DrainDialog key="drain" node={aNode()} isOpen onClose={nothing} />, null, ["Why *"]],
];

it.each(FORMS)("marks each field of %s that must be filled, and names the others optional", async (_, form, chosen, required) => {
  const answers = new Answers().of(recentJobsQuery, []).of(cronTimesQuery("0 2 * * *", ZONE), []).of(eventTypesQuery, []);
  HTMLDialogElement.prototype.showModal ??= nothing;
  await drawn(form, "/", answers);
  if (chosen) {
    const select = document.querySelector(`option[value="${chosen}"]`)?.closest("select") as HTMLSelectElement;
    await act(async () => {
      select.value = chosen;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
  const empty = [...document.querySelectorAll<HTMLInputElement>("form input:not([type=checkbox]), form textarea")].filter(({ value }) => value === "");
  const label = (input: HTMLInputElement): string => input.labels?.[0]?.textContent ?? "";
  const isMarked = (input: HTMLInputElement): boolean => input.getAttribute("aria-required") === "true";
  expect(empty.filter(isMarked).map(label)).toEqual(required);
  expect(empty.filter((input) => !isMarked(input) && !label(input).includes("(optional)")).map(label), "neither marked nor optional").toEqual([]);
});
