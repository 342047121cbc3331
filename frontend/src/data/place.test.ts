// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PLACES, RENT_MS, takePlace } from "./place";

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

let leaves: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  leaves = [];
});

afterEach(() => {
  vi.restoreAllMocks();
  for (const leave of leaves) leave();
  localStorage.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A tab: what it was told, the newest last. */
function tab(): string[] {
  const told: string[] = [];
  leaves.push(takePlace(() => told.push("place"), () => told.push("full")));
  return told;
}

const newest = (tabs: readonly string[][]): (string | undefined)[] => tabs.map((told) => told.at(-1));
const AS_MANY = [...PLACES.map(() => "place"), "full"];

test("by locks no more tabs have a place than there are; the next one has one as soon as another leaves", async () => {
  vi.stubGlobal("navigator", { locks: new Locks() });
  const tabs = [...PLACES, "one too many"].map(() => tab());
  await settled();
  await settled();
  expect(newest(tabs)).toEqual(AS_MANY);
  leaves.shift()?.();
  await settled();
  expect(tabs.at(-1)).toEqual(["full", "place"]);
});

test("so it is without locks, too", () => {
  const tabs = [...PLACES, "one too many"].map(() => tab());
  expect(newest(tabs)).toEqual(AS_MANY);
  vi.advanceTimersByTime(10 * RENT_MS);
  expect(newest(tabs)).toEqual(AS_MANY);
  leaves.shift()?.();
  window.dispatchEvent(new StorageEvent("storage", { key: PLACES[0], newValue: null }));
  expect(tabs.at(-1)).toEqual(["full", "place"]);
});

test("the place of a tab that is gone without a word is free after a while, and so is one beyond a clock set back", () => {
  for (const place of PLACES) localStorage.setItem(place, `gone ${Date.now() + RENT_MS}`);
  const told = tab();
  expect(told).toEqual(["full"]);
  vi.advanceTimersByTime(RENT_MS + 2_000);
  expect(told).toEqual(["full", "place"]);
  for (const place of PLACES) localStorage.setItem(place, `gone ${Date.now() + 3_600_000}`);
  expect(tab()).toEqual(["place"]);
});

test("of two tabs that took one place at once, one lets go when it looks again", () => {
  const told = tab();
  const until = Date.now() + RENT_MS;
  for (const place of PLACES) localStorage.setItem(place, `other ${until}`);
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual(["place", "full"]);
});

test("where nothing may be stored, a tab has its place", () => {
  vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new Error("SecurityError");
  });
  expect(tab()).toEqual(["place"]);
});
