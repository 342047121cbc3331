/** A node's last day on one axis of time: its load, its network, and the jobs that ran there. Pure. */
import type { JobView, NodeHistoryView } from "../../api/types";
import type { Columns, Value } from "../../lib/sweep/lineColumns";

export const HOURS = 24;
/** Without a reading for longer than this the line has a gap. */
const GAP_MS = 150_000;
const HOUR_MS = 3_600_000;

/** The values of a column over hours before now (negative), with a gap where the node was silent. */
export function columnsOf({ minute, until }: NodeHistoryView, ...columns: readonly (readonly (number | null)[])[]): Columns {
  const x: number[] = [];
  const lines: Value[][] = columns.map(() => []);
  const add = (timeMs: number, values: readonly (number | null)[]): void => {
    x.push((timeMs - Date.parse(until)) / HOUR_MS);
    values.forEach((value, i) => lines[i]?.push(value));
  };
  minute.forEach((iso, i) => {
    const [timeMs, before] = [Date.parse(iso), Date.parse(minute[i - 1] ?? iso)];
    if (timeMs - before > GAP_MS) add((timeMs + before) / 2, columns.map(() => null));
    add(timeMs, columns.map((values) => values[i] ?? null));
  });
  return { x, lines };
}

export interface JobBar {
  job: JobView;
  lane: number;
  /** As shares of the 24 hours. */
  left: number;
  width: number;
}

/** The attempts of jobs that held slots of the node in the last day, each in the first lane that is free. */
export function jobBars(jobs: readonly JobView[], node: string, untilMs: number): JobBar[] {
  const sinceMs = untilMs - HOURS * HOUR_MS;
  const share = (timeMs: number): number => (Math.min(untilMs, Math.max(sinceMs, timeMs)) - sinceMs) / (untilMs - sinceMs);
  const found = jobs
    .flatMap((job) => job.attempts.filter(({ nodes }) => nodes.includes(node)).map(({ created_at: start, finished_at: end }) => ({ job, startMs: Date.parse(start), endMs: end ? Date.parse(end) : untilMs })))
    .filter(({ startMs, endMs }) => endMs > sinceMs && startMs < untilMs)
    .sort((a, b) => a.startMs - b.startMs);
  const ends: number[] = [];
  return found.map(({ job, startMs, endMs }) => {
    const free = ends.findIndex((end) => end <= startMs);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = endMs;
    return { job, lane, left: share(startMs), width: share(endMs) - share(startMs) };
  });
}

export interface Hour {
  /** ISO 8601. */
  time: string;
  load: number | null;
  networkBytesPerSecond: number | null;
}

/** The highest load and the mean network of each hour with a reading, the newest first. */
export function byHour({ minute, load_average: loads, network_bytes_per_second: rates }: NodeHistoryView): Hour[] {
  const hours = new Map<string, number[]>();
  minute.forEach((iso, i) => {
    const time = `${iso.slice(0, 13)}:00:00Z`;
    hours.set(time, [...(hours.get(time) ?? []), i]);
  });
  const known = (values: readonly (number | null)[], at: readonly number[]): number[] => at.flatMap((i) => values[i] ?? []);
  return [...hours].reverse().map(([time, at]) => {
    const [load, rate] = [known(loads, at), known(rates, at)];
    return {
      time,
      load: load.length > 0 ? Math.max(...load) : null,
      networkBytesPerSecond: rate.length > 0 ? rate.reduce((sum, value) => sum + value, 0) / rate.length : null,
    };
  });
}
