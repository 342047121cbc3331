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

/** A tab's stream: what it was told, the newest last. */
function tab(): string[] {
  const told: string[] = [];
  ends.push(takeTurns({ start: () => told.push("start"), pause: (status) => told.push(status) }));
  return told;
}

function show(isSeen: boolean): void {
  isHidden = !isSeen;
  document.dispatchEvent(new Event("visibilitychange"));
}

test("a tab that was opened in the background opens no stream until it is seen", () => {
  isHidden = true;
  const told = tab();
  vi.advanceTimersByTime(10 * HIDDEN_MS);
  expect(told).toEqual(["paused"]);
  show(true);
  expect(told).toEqual(["paused", "start"]);
});

test("a tab that is hidden for a moment keeps its stream, and one that stays hidden lets go of it", () => {
  const told = tab();
  show(false);
  vi.advanceTimersByTime(HIDDEN_MS - 1);
  show(true);
  vi.advanceTimersByTime(HIDDEN_MS);
  expect(told).toEqual(["start"]);
  show(false);
  vi.advanceTimersByTime(HIDDEN_MS);
  show(true);
  expect(told).toEqual(["start", "paused", "start"]);
});
