/** Whose turn it is to hold a stream: a tab that is seen, and of one browser no more than leave it connections to ask with. */

/** What is missed meanwhile is fetched when the tab is seen again. */
export const HIDDEN_MS = 5_000;
/** By HTTP/1.1 a browser opens six connections to a server, for all of its tabs; each stream keeps one. */
export const PLACES = ["ringscope-stream-1", "ringscope-stream-2", "ringscope-stream-3"] as const;

interface Turns {
  start: () => void;
  pause: (status: "paused" | "polling") => void;
}

/** Starts the stream once the tab is seen and has a place, and pauses it while it is hidden. Gives the end of it. */
export function takeTurns(stream: Turns): () => void {
  let timer: number | undefined;
  let leave: (() => void) | undefined;
  const enter = (): void => {
    leave ??= takePlace(() => stream.start(), () => stream.pause("polling"));
  };
  const rest = (): void => {
    leave?.();
    leave = undefined;
    stream.pause("paused");
  };
  const look = (): void => {
    window.clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(rest, HIDDEN_MS);
    else enter();
  };
  // A tab that was opened in the background has been seen by nobody.
  if (document.hidden) rest();
  else enter();
  document.addEventListener("visibilitychange", look);
  return () => {
    window.clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    leave?.();
  };
}

/** Waits for any of the places, and says so when none is free. Gives what leaves it, or the queue. */
function takePlace(onPlace: () => void, onFull: () => void): () => void {
  // Browsers have no locks where the page came over plain HTTP from another machine.
  const locks = navigator.locks as LockManager | undefined;
  if (!locks) {
    onPlace();
    return () => undefined;
  }
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
