// @vitest-environment jsdom
import { act } from "react";
import { expect, it } from "vitest";
import type { DeliveryView } from "../../../api/types";
import { eventTypesQuery } from "../../../data/settings";
import { Answers, drawn } from "../../../testing/page";
import { EventChoice } from "./EventChoice";
import { isCovered, testInWords } from "./events";
import { textsOf } from "../useSettingsForm";

const TYPES = [
  { type: "job.failed", meaning: "A job ended with an error." },
  { type: "job.running", meaning: "All ranks of a job run." },
  { type: "node.lost", meaning: "A node's heartbeats stopped." },
];

it("offers each event of the server with its meaning, and sends the patterns that are ticked", async () => {
  const choice = (
    <form>
      <EventChoice name="events" label="Events" error={null} chosen={["job.failed"]} />
    </form>
  );
  const page = await drawn(choice, "/", new Answers().of(eventTypesQuery, TYPES));
  const box = (pattern: string): HTMLInputElement => page.querySelector(`input[value="${pattern}"]`) as HTMLInputElement;
  const sent = (): string => textsOf(page.querySelector("form") as HTMLFormElement).events ?? "";
  expect(page.textContent).toContain("A job ended with an error.");
  expect([...page.querySelectorAll("details")].map(({ open }) => open)).toEqual([true, false]);
  expect(sent()).toBe("job.failed");
  await act(async () => box("node.lost").click());
  expect(sent()).toBe("job.failed node.lost");
  await act(async () => box("job.*").click());
  expect(sent()).toBe("job.* node.lost");
  await act(async () => box("*").click());
  expect(sent()).toBe("*");
  expect([box("job.running").checked, box("job.running").disabled]).toEqual([true, true]);
});

it("knows which pattern is within a wider one", () => {
  const within = (pattern: string, ...chosen: string[]): boolean => isCovered(pattern, new Set(chosen));
  expect([within("job.failed", "job.*"), within("job.*", "*"), within("job.failed", "*")]).toEqual([true, true, true]);
  expect([within("job.*", "job.*"), within("*", "*"), within("node.lost", "job.*")]).toEqual([false, false, false]);
});

it("says in a sentence what came of a test message", () => {
  const delivery = (fields: Partial<DeliveryView>) => ({ state: "pending", last_error: "", last_status: null, next_attempt_at: null, ...fields }) as DeliveryView;
  expect(testInWords(undefined)).toBe("The test message is being sent …");
  expect(testInWords(delivery({}))).toBe("The test message is being sent …");
  expect(testInWords(delivery({ state: "delivered", last_status: 204 }))).toBe("The receiver answered the test message with status 204.");
  expect(testInWords(delivery({ state: "failed", last_error: "HTTP 410: Gone." }))).toBe("The test message was not delivered. HTTP 410: Gone.");
  expect(testInWords(delivery({ last_error: "No answer within 10 s.", next_attempt_at: "2026-01-01T00:00:05Z" }))).toMatch(
    /^The test message was not delivered\. No answer within 10 s\. The server tries again at .+\.$/,
  );
});
