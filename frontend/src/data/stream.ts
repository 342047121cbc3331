/** The tab's one event stream: several topics on one connection, resumed by the browser, reopened when that fails. */
import { ROOT } from "../api/site";

/** Stale: it looks open, but not even a heartbeat came for `STALE_MS`. Polling: other tabs hold the browser's streams. */
export type StreamStatus = "live" | "stale" | "reconnecting" | "paused" | "polling";

export interface StreamEvent {
  name: string;
  data: unknown;
}

interface Handlers {
  /** Called with the events since the last flush, oldest first, four times a second at most. */
  onEvents: (events: StreamEvent[]) => void;
  /** Called when a new connection is open: everything shown may be behind. */
  onFresh: () => void;
  onStatus: (status: StreamStatus) => void;
  /** Called when the server has ended the connection, or cannot be reached: the session may be over. */
  onEnd: () => void;
}

const EVENT_NAMES = ["job", "measurements", "steps", "log", "node", "late", "reset"] as const;
/** Twice as long as the server's longest pause between events. */
export const STALE_MS = 20_000;
const FLUSH_MS = 250;
const RETRY_MS = 3000;
const BASE_TOPICS = ["jobs", "nodes"] as const;

export class LiveStream {
  /** When the last event came, by this browser's clock; null before the first. */
  lastEventAtMs: number | null = null;
  /** When the server last sent anything, including a heartbeat; null before the first time. */
  lastHeardAtMs: number | null = null;
  private source: EventSource | null = null;
  private topics = new Map<string, number>();
  private url = "";
  private pending: StreamEvent[] = [];
  private flushTimer: number | undefined;
  private retryTimer: number | undefined;
  private openTimer: number | undefined;
  private staleTimer: number | undefined;
  private isOn = false;

  constructor(private readonly handlers: Handlers) {}

  /** Adds a topic until the returned function is called. */
  watch(topic: string): () => void {
    this.topics.set(topic, (this.topics.get(topic) ?? 0) + 1);
    this.schedule();
    return () => {
      const left = (this.topics.get(topic) ?? 1) - 1;
      if (left > 0) this.topics.set(topic, left);
      else this.topics.delete(topic);
      this.schedule();
    };
  }

  /** Connects, or resumes after `pause`. */
  start(): void {
    this.isOn = true;
    this.schedule();
  }

  /** Closes the connection; `start` opens it again and asks for fresh data. */
  pause(status: "paused" | "polling" = "paused"): void {
    this.close();
    this.handlers.onStatus(status);
  }

  /** Closes the connection without a call. */
  close(): void {
    this.isOn = false;
    window.clearTimeout(this.flushTimer);
    window.clearTimeout(this.retryTimer);
    window.clearTimeout(this.openTimer);
    window.clearTimeout(this.staleTimer);
    this.flushTimer = undefined;
    this.source?.close();
    this.source = null;
    this.url = "";
    this.pending = [];
  }

  // One page closes its topic and the next opens its own in the same tick: connect once, after both.
  private schedule(): void {
    window.clearTimeout(this.openTimer);
    if (this.isOn) this.openTimer = window.setTimeout(() => this.connect(), 0);
  }

  private connect(): void {
    const topics = [...BASE_TOPICS, ...[...this.topics.keys()].sort()].join(",");
    const url = `${ROOT}/api/v1/stream?topics=${encodeURIComponent(topics)}`;
    if (url === this.url) return;
    this.flush();
    this.source?.close();
    window.clearTimeout(this.retryTimer);
    this.url = url;
    const source = new EventSource(url);
    this.source = source;
    let isFresh = true;
    source.onopen = () => {
      this.hear();
      if (isFresh) this.handlers.onFresh();
      isFresh = false;
    };
    source.onerror = () => {
      window.clearTimeout(this.staleTimer);
      this.handlers.onStatus("reconnecting");
      this.handlers.onEnd();
      if (source.readyState === EventSource.CLOSED) this.retry();
    };
    for (const name of EVENT_NAMES) {
      source.addEventListener(name, (event) => this.receive(name, event.data));
    }
    source.addEventListener("heartbeat", () => this.hear());
  }

  /** The server has sent something. A connection whose other end is gone can look open for a quarter of an hour. */
  private hear(): void {
    this.lastHeardAtMs = Date.now();
    window.clearTimeout(this.staleTimer);
    this.staleTimer = window.setTimeout(() => this.goStale(), STALE_MS);
    this.handlers.onStatus("live");
  }

  private goStale(): void {
    this.handlers.onStatus("stale");
    this.source?.close();
    this.retry();
  }

  private retry(): void {
    this.url = "";
    window.clearTimeout(this.retryTimer);
    this.retryTimer = window.setTimeout(() => this.connect(), RETRY_MS);
  }

  private receive(name: string, text: string): void {
    this.hear();
    this.lastEventAtMs = Date.now();
    this.pending.push({ name, data: JSON.parse(text) });
    this.flushTimer ??= window.setTimeout(() => this.flush(), FLUSH_MS);
  }

  private flush(): void {
    window.clearTimeout(this.flushTimer);
    this.flushTimer = undefined;
    const events = this.pending;
    this.pending = [];
    if (events.length > 0) this.handlers.onEvents(events);
  }
}
