/** Whether the server answers at all, while the stream is down. */
import { ApiError } from "../api/client";
import { formatTime } from "../lib/format";
import type { StreamEvent } from "./stream";

/** The server cannot be reached. */
export interface Outage {
  /** Since when, by this browser's clock. */
  sinceMs: number;
  /** When it was last heard of: what is shown is of then. */
  asOfMs: number;
}

/** "Server unreachable since 15:04:05, shown as of 15:04:02." */
export function outageWords({ sinceMs, asOfMs }: Outage): string {
  return `Server unreachable since ${formatTime(sinceMs)}, shown as of ${formatTime(asOfMs)}.`;
}

/** The newest sentence about late work of the server's own, null where none is late any more; undefined: no news. */
export function lateness(events: readonly StreamEvent[]): string | null | undefined {
  return events
    .filter((event) => event.name === "late")
    .map((event) => (event.data as { sentence: string | null }).sentence)
    .at(-1);
}

/** What a proxy says in place of a server that it cannot reach. */
const GATEWAYS: ReadonlySet<number> = new Set([502, 503, 504]);

/** The server itself has answered, be it with a refusal: one of its own has a code, a proxy's has none. */
export function isAnswer(error: unknown): boolean {
  return error instanceof ApiError && (error.code !== "" || !GATEWAYS.has(error.status));
}

/** So soon after the stream broke it asks for the first time; one that is only opened anew is back before. */
export const FIRST_MS = 1_000;
export const AGAIN_MS = 10_000;
/** An answer that takes longer is none: a server that hangs takes connections and says nothing. */
export const PATIENCE_MS = 5_000;

interface Handlers {
  /** Throws what the server answered, or that it did not. */
  ask: (signal: AbortSignal) => Promise<unknown>;
  onAnswer: (isFirst: boolean) => void;
  onSilence: () => void;
}

/** Asks now and then whether the server is there, and says what came of it. Gives the end of it. */
export function lookOut({ ask, onAnswer, onSilence }: Handlers): () => void {
  let timer = window.setTimeout(() => void look(true), FIRST_MS);
  let isOver = false;
  const look = async (isFirst: boolean): Promise<void> => {
    const patience = new AbortController();
    const limit = window.setTimeout(() => patience.abort(), PATIENCE_MS);
    const isThere = await ask(patience.signal).then(() => true, isAnswer);
    window.clearTimeout(limit);
    if (isOver) return;
    if (isThere) onAnswer(isFirst);
    else onSilence();
    timer = window.setTimeout(() => void look(false), AGAIN_MS);
  };
  return () => {
    isOver = true;
    window.clearTimeout(timer);
  };
}
