/** The streams that one browser may hold, for all of its tabs: few enough to leave it connections to ask with. */
import { randomKey } from "../api/client";

/** By HTTP/1.1 a browser opens six connections to a server, for all of its tabs; each stream keeps one. */
export const PLACES = ["ringscope-stream-1", "ringscope-stream-2", "ringscope-stream-3"] as const;

/** Waits for any of the places, and says so when none is free. Gives what leaves it, or the queue. */
export function takePlace(onPlace: () => void, onFull: () => void): () => void {
  // Browsers have no locks where the page came over plain HTTP from another machine.
  const locks = navigator.locks as LockManager | undefined;
  if (locks) return lock(locks, onPlace, onFull);
  const stored = storage();
  if (stored) return rent(stored, onPlace, onFull);
  onPlace();
  return () => undefined;
}

/** A place as a lock, which ends with the tab. */
function lock(locks: LockManager, onPlace: () => void, onFull: () => void): () => void {
  const queue = new AbortController();
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const hold = (): Promise<void> | undefined => {
    if (queue.signal.aborted) return undefined;
    queue.abort();
    onPlace();
    return left;
  };
  for (const place of PLACES) void locks.request(place, { signal: queue.signal }, hold).catch(() => undefined);
  // It is answered after the requests before it.
  void locks.query().then(() => {
    if (!queue.signal.aborted) onFull();
  });
  return () => {
    queue.abort();
    leave();
  };
}

/** A tab that is gone without a word keeps its place for so long. */
export const RENT_MS = 6_000;
const RENEW_MS = 2_000;

/**
 * A place as an entry in what all tabs share, renewed while it is held: "who until when". Two that write at once both
 * believe in theirs until they look again, and then one of them lets go.
 */
function rent(stored: Storage, onPlace: () => void, onFull: () => void): () => void {
  const me = randomKey();
  let told: "place" | "full" | undefined;
  const look = (): void => {
    const mine = PLACES.find((place) => holder(stored, place) === me);
    const place = mine ?? PLACES.find((free) => holder(stored, free) === null);
    if (place) stored.setItem(place, `${me} ${Date.now() + RENT_MS}`);
    const next = place ? "place" : "full";
    if (next !== told) (place ? onPlace : onFull)();
    told = next;
  };
  const leave = (): void => {
    for (const place of PLACES) if (holder(stored, place) === me) stored.removeItem(place);
  };
  // As soon as somebody leaves, too.
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

/** Who holds a place; null: nobody, or nobody any more. A clock that was set back makes no place last for ever. */
function holder(stored: Storage, place: string): string | null {
  const [tab, until] = stored.getItem(place)?.split(" ") ?? [];
  const leftMs = Number(until) - Date.now();
  return tab && leftMs > 0 && leftMs <= RENT_MS ? tab : null;
}

/** What all tabs of this browser share; null where it is switched off. */
function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
