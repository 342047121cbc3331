/** Whose turn it is to hold a stream: a tab that is seen, and of one browser no more than there are places. */
import { takePlace } from "./place";

/** What is missed meanwhile is fetched when the tab is seen again. */
export const HIDDEN_MS = 5_000;

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
