/** The slots for streams that one browser has, for all of its tabs: few enough to leave it connections for requests. */
import { randomKey } from "../api/client";

/** By HTTP/1.1 a browser opens six connections to a server, for all of its tabs; each stream keeps one. */
export const SLOTS = ["ringscope-stream-1", "ringscope-stream-2", "ringscope-stream-3"] as const;

/** Waits for any slot, and reports when none is free. Returns a function that releases the slot or leaves the queue. */
export function takeSlot(onSlot: () => void, onFull: () => void): () => void {
  // Browsers have no locks where the page came over plain HTTP from another machine.
  const locks = navigator.locks as LockManager | undefined;
  if (locks) return lock(locks, onSlot, onFull);
  const stored = storage();
  if (stored) return rent(stored, onSlot, onFull);
  onSlot();
  return () => undefined;
}

/** A slot as a lock, which ends with the tab. */
function lock(locks: LockManager, onSlot: () => void, onFull: () => void): () => void {
  const queue = new AbortController();
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const hold = (): Promise<void> | undefined => {
    if (queue.signal.aborted) return undefined;
    queue.abort();
    onSlot();
    return left;
  };
  for (const slot of SLOTS) void locks.request(slot, { signal: queue.signal }, hold).catch(() => undefined);
  // It is answered after the requests before it.
  void locks.query().then(() => {
    if (!queue.signal.aborted) onFull();
  });
  return () => {
    queue.abort();
    leave();
  };
}

/** How long a tab that has crashed keeps its slot. */
export const RENT_MS = 6_000;
const RENEW_MS = 2_000;

/**
 * A slot as an entry in the tabs' shared storage, renewed while it is held: "holder until". Two tabs that write at once
 * both believe that they hold it until they look again, and then one of them lets go.
 */
function rent(stored: Storage, onSlot: () => void, onFull: () => void): () => void {
  const me = randomKey();
  let last: "slot" | "full" | undefined;
  const look = (): void => {
    const mine = SLOTS.find((slot) => holder(stored, slot) === me);
    const slot = mine ?? SLOTS.find((free) => holder(stored, free) === null);
    if (slot) stored.setItem(slot, `${me} ${Date.now() + RENT_MS}`);
    const next = slot ? "slot" : "full";
    if (next !== last) (slot ? onSlot : onFull)();
    last = next;
  };
  const leave = (): void => {
    for (const slot of SLOTS) if (holder(stored, slot) === me) stored.removeItem(slot);
  };
  // Also as soon as a tab leaves.
  const onChange = ({ newValue }: StorageEvent): void => {
    if (newValue === null) look();
  };
  look();
  const timer = window.setInterval(look, RENEW_MS);
  window.addEventListener("storage", onChange);
  window.addEventListener("pagehide", leave);
  return () => {
    window.clearInterval(timer);
    window.removeEventListener("storage", onChange);
    window.removeEventListener("pagehide", leave);
    leave();
  };
}

/** The holder of a slot; null: none, or no longer. After a clock was set back a slot still expires. */
function holder(stored: Storage, slot: string): string | null {
  const [tab, until] = stored.getItem(slot)?.split(" ") ?? [];
  const leftMs = Number(until) - Date.now();
  return tab && leftMs > 0 && leftMs <= RENT_MS ? tab : null;
}

/** The storage that all tabs of this browser share; null if it is switched off. */
function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
