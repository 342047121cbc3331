// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HIDDEN_MS, PLACES, takeTurns } from "./turn";

/** The locks of one browser, as far as the page asks for them. */
class Locks {
  private readonly waiting: { name: string; grant: () => void }[] = [];
  private readonly held = new Set<string>();

  request(name: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void> | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const grant = async (): Promise<void> => {
        if (signal.aborted) return reject(new Error("AbortError"));
        this.held.add(name);
        await hold();
        this.held.delete(name);
        resolve();
        this.next();
      };
      this.waiting.push({ name, grant: () => void grant() });
      queueMicrotask(() => this.next());
    });
  }

  async query(): Promise<void> {
    await settled();
  }

  private next(): void {
    const at = this.waiting.findIndex(({ name }) => !this.held.has(name));
    if (at < 0) return;
    this.waiting.splice(at, 1)[0]?.grant();
    this.next();
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

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
  vi.unstubAllGlobals();
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

test("of one browser no more tabs hold a stream than there are places; the next one polls until one is free", async () => {
  vi.stubGlobal("navigator", { locks: new Locks() });
  const tabs = [...PLACES, "one too many"].map(() => tab());
  await settled();
  await settled();
  expect(tabs.map((told) => told.at(-1))).toEqual([...PLACES.map(() => "start"), "polling"]);
  ends.shift()?.();
  await settled();
  expect(tabs.at(-1)).toEqual(["polling", "start"]);
});
