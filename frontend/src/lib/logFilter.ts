/** Which lines of a log the URL asks for, as the API takes it. */
import type { LogFilter } from "../api/queries";
import type { JobSearch } from "./search";

export function logFilterOf({ log: text, match, rank, stream }: JobSearch): LogFilter {
  return {
    ...(rank !== undefined && { rank: Number(rank) }),
    ...(stream && { stream }),
    ...(text !== undefined && (match === "regex" ? { pattern: text } : { q: text })),
  };
}

/** The line that a hash such as "L120" names, from 1. */
export function lineOf(hash: string): number | null {
  const number = /^L(\d{1,9})$/.exec(hash)?.[1];
  return number === undefined ? null : Number(number);
}

/** Where the lines are as a file. */
export function exportUrl(jobId: number, filter: LogFilter): string {
  const query = new URLSearchParams(Object.entries(filter).map(([key, value]) => [key, String(value)]));
  return `/api/v1/jobs/${jobId}/log/export${query.size > 0 ? `?${query}` : ""}`;
}
