import { useCallback, useSyncExternalStore } from "react";

// One clock for the whole page: all times change together, once a second.
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: number | undefined;

function subscribe(onTick: () => void): () => void {
  listeners.add(onTick);
  if (timer === undefined) {
    nowMs = Date.now();
    timer = window.setInterval(tick, 1000);
  }
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

const NEVER = (): (() => void) => () => undefined;

/** The time in milliseconds, once a second. */
export function useNow(isTicking = true): number {
  return useSyncExternalStore(isTicking ? subscribe : NEVER, () => nowMs);
}

/** Words about the time; redrawn only when they change, which an age of hours does not do each second. */
export function useTimeWords(words: (nowMs: number) => string): string {
  return useSyncExternalStore(subscribe, useCallback(() => words(nowMs), [words]));
}
