/** Whether the server answers at all, while the stream is down. */
import { ApiError } from "../api/client";
import { formatTime } from "../lib/format";
import type { StreamEvent } from "./stream";

/** The server cannot be reached. */
export interface Outage {
  /** Since when, by this browser's clock. */
  sinceMs: number;
  /** When it last answered: the data shown is from then. */
  asOfMs: number;
}

/** "The server has not answered since 15:04:05." */
export function outageWords({ sinceMs }: Outage): string {
  return `The server has not answered since ${formatTime(sinceMs)}.`;
}

/** What still works, and when the page tries again. */
export function meanwhileWords({ asOfMs }: Outage): string {
  return `You can read on: loaded pages show what was known at ${formatTime(asOfMs)}. Nothing can be changed; the page tries again every ${AGAIN_MS / 1000} s.`;
}

/** The newest sentence about late tasks of the server, null if none is late any more; undefined: no news. */
export function lateness(events: readonly StreamEvent[]): string | null | undefined {
  return events
    .filter((event) => event.name === "late")
    .map((event) => (event.data as { sentence: string | null }).sentence)
    .at(-1);
}

/** What a proxy answers in place of a server that it cannot reach. */
const GATEWAYS: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether the server itself has answered, even with a refusal: its own problems have a code, a proxy's have none. */
export function isAnswer(error: unknown): boolean {
  return error instanceof ApiError && (error.code !== "" || !GATEWAYS.has(error.status));
}

/** The delay of the first request after the stream broke; a stream that only reconnects is back before. */
export const FIRST_MS = 1_000;
export const AGAIN_MS = 10_000;
/** The timeout of a request: a server that hangs accepts connections and does not answer. */
export const PATIENCE_MS = 5_000;

interface Handlers {
  /** Throws the server's error, or an error if it did not answer. */
  ask: (signal: AbortSignal) => Promise<unknown>;
  onAnswer: (isFirst: boolean) => void;
  onSilence: () => void;
}

/** Asks now and then whether the server answers, and reports it. Returns a function that stops this. */
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
