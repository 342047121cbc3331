/** Whether a tab may hold a stream: visible tabs only, and no more of one browser than there are slots. */
import { takeSlot } from "./streamSlot";

/** What is missed meanwhile is loaded when the tab is visible again. */
export const HIDDEN_MS = 5_000;

interface Turns {
  start: () => void;
  pause: (status: "paused" | "polling") => void;
}

/** Starts the stream once the tab is visible and has a slot, and pauses it while it is hidden. Returns a function that ends it. */
export function takeTurns(stream: Turns): () => void {
  let timer: number | undefined;
  let leave: (() => void) | undefined;
  const enter = (): void => {
    leave ??= takeSlot(() => stream.start(), () => stream.pause("polling"));
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
  // A tab that was opened in the background has not been visible yet.
  if (document.hidden) rest();
  else enter();
  document.addEventListener("visibilitychange", look);
  return () => {
    window.clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    leave?.();
  };
}
