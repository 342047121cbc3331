// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveStream, STALE_MS, type StreamStatus } from "./stream";

/** A connection whose events the test sends. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Source[] = [];
  readyState = 1;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor(readonly url: string) {
    super();
    Source.opened.push(this);
  }

  say(name: string): void {
    this.dispatchEvent(new MessageEvent(name, { data: "{}" }));
  }

  close(): void {
    this.readyState = Source.CLOSED;
  }
}

let statuses: StreamStatus[];
let fresh: number;
let ends: number;
let stream: LiveStream;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
  Source.opened = [];
  statuses = [];
  fresh = ends = 0;
  stream = new LiveStream({
    onEvents: () => undefined,
    onFresh: () => (fresh += 1),
    onStatus: (status) => statuses.push(status),
    onEnd: () => (ends += 1),
  });
  stream.start();
  vi.advanceTimersByTime(1);
  Source.opened[0]?.onopen?.();
});

afterEach(() => {
  stream.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a heartbeat keeps a quiet stream live, and is no event", () => {
  for (let i = 0; i < 10; i++) {
    vi.advanceTimersByTime(STALE_MS - 1);
    Source.opened[0]?.say("heartbeat");
  }
  expect(new Set(statuses)).toEqual(new Set(["live"]));
  expect(stream.lastEventAtMs).toBeNull();
  expect(Source.opened).toHaveLength(1);
});

test("a connection that looks open and says nothing is stale, and another one takes its place", () => {
  Source.opened[0]?.say("job");
  vi.advanceTimersByTime(STALE_MS - 1);
  expect(statuses.at(-1)).toBe("live");
  vi.advanceTimersByTime(1);
  expect(statuses.at(-1)).toBe("stale");
  expect(Source.opened[0]?.readyState).toBe(Source.CLOSED);
  vi.advanceTimersByTime(5000);
  expect(Source.opened).toHaveLength(2);
  expect(statuses.at(-1), "until it stands").toBe("stale");
  Source.opened[1]?.onopen?.();
  expect([statuses.at(-1), fresh]).toEqual(["live", 2]);
});

test("a connection that the server ends is reported: the session may be over", () => {
  expect(ends).toBe(0);
  Source.opened[0]?.onerror?.();
  expect(ends).toBe(1);
});

test("a stream that is paused or reconnecting does not go stale", () => {
  Source.opened[0]?.onerror?.();
  vi.advanceTimersByTime(2 * STALE_MS);
  expect(statuses.at(-1)).toBe("reconnecting");
  stream.pause();
  vi.advanceTimersByTime(2 * STALE_MS);
  expect(statuses.at(-1)).toBe("paused");
});
