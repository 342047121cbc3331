// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HIDDEN_MS, takeTurns } from "./turn";

let isHidden: boolean;
let ends: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(document, "hidden", "get").mockImplementation(() => isHidden);
  isHidden = false;
  ends = [];
});

afterEach(() => {
  for (const end of ends) end();
  localStorage.clear();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A tab's stream: its calls, the newest last. */
function tab(): string[] {
  const calls: string[] = [];
  ends.push(takeTurns({ start: () => calls.push("start"), pause: (status) => calls.push(status) }));
  return calls;
}

function show(isSeen: boolean): void {
  isHidden = !isSeen;
  document.dispatchEvent(new Event("visibilitychange"));
}

test("a tab that was opened in the background opens no stream until it is seen", () => {
  isHidden = true;
  const calls = tab();
  vi.advanceTimersByTime(10 * HIDDEN_MS);
  expect(calls).toEqual(["paused"]);
  show(true);
  expect(calls).toEqual(["paused", "start"]);
});

test("a tab that is hidden for a moment keeps its stream, and one that stays hidden lets go of it", () => {
  const calls = tab();
  show(false);
  vi.advanceTimersByTime(HIDDEN_MS - 1);
  show(true);
  vi.advanceTimersByTime(HIDDEN_MS);
  expect(calls).toEqual(["start"]);
  show(false);
  vi.advanceTimersByTime(HIDDEN_MS);
  show(true);
  expect(calls).toEqual(["start", "paused", "start"]);
});
