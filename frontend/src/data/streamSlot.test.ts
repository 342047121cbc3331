// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SLOTS, RENT_MS, takeSlot } from "./streamSlot";

/** The locks of one browser, as far as the page requests them. */
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

/** A tab: its calls, the newest last. */
function tab(): string[] {
  const calls: string[] = [];
  leaves.push(takeSlot(() => calls.push("slot"), () => calls.push("full")));
  return calls;
}

const newest = (tabs: readonly string[][]): (string | undefined)[] => tabs.map((calls) => calls.at(-1));
const AS_MANY = [...SLOTS.map(() => "slot"), "full"];

test("with locks no more tabs have a slot than there are; the next one gets one as soon as another leaves", async () => {
  vi.stubGlobal("navigator", { locks: new Locks() });
  const tabs = [...SLOTS, "one too many"].map(() => tab());
  await settled();
  await settled();
  expect(newest(tabs)).toEqual(AS_MANY);
  leaves.shift()?.();
  await settled();
  expect(tabs.at(-1)).toEqual(["full", "slot"]);
});

test("so it is without locks, too", () => {
  const tabs = [...SLOTS, "one too many"].map(() => tab());
  expect(newest(tabs)).toEqual(AS_MANY);
  vi.advanceTimersByTime(10 * RENT_MS);
  expect(newest(tabs)).toEqual(AS_MANY);
  leaves.shift()?.();
  window.dispatchEvent(new StorageEvent("storage", { key: SLOTS[0], newValue: null }));
  expect(tabs.at(-1)).toEqual(["full", "slot"]);
});

test("the slot of a tab that has crashed is free after a while, also after a clock was set back", () => {
  for (const slot of SLOTS) localStorage.setItem(slot, `gone ${Date.now() + RENT_MS}`);
  const calls = tab();
  expect(calls).toEqual(["full"]);
  vi.advanceTimersByTime(RENT_MS + 2_000);
  expect(calls).toEqual(["full", "slot"]);
  for (const slot of SLOTS) localStorage.setItem(slot, `gone ${Date.now() + 3_600_000}`);
  expect(tab()).toEqual(["slot"]);
});

test("of two tabs that took one slot at once, one lets go when it looks again", () => {
  const calls = tab();
  const until = Date.now() + RENT_MS;
  for (const slot of SLOTS) localStorage.setItem(slot, `other ${until}`);
  vi.advanceTimersByTime(2_000);
  expect(calls).toEqual(["slot", "full"]);
});

test("a tab has its slot where nothing can be stored", () => {
  vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new Error("SecurityError");
  });
  expect(tab()).toEqual(["slot"]);
});
