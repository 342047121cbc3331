/** The filter of log lines in the URL and as the API takes it. */
import type { paths } from "../../api/schema";
import { ROOT } from "../../api/site";
import type { JobSearch } from "./search";

/** A filter of log lines: by rank, stream, lowest level, with every word of a text, or matching a regular expression. */
export type LogFilter = Pick<
  NonNullable<paths["/api/v1/jobs/{job_id}/log/outline"]["get"]["parameters"]["query"]>,
  "rank" | "stream" | "level" | "q" | "pattern"
>;

export function logFilterOf({ log: text, match, rank, stream, level }: JobSearch): LogFilter {
  return {
    ...(rank !== undefined && { rank: Number(rank) }),
    ...(stream && { stream }),
    ...(level && { level }),
    ...(text !== undefined && (match === "regex" ? { pattern: text } : { q: text })),
  };
}

/** The line that a hash such as "L120" names, from 1. */
export function lineOf(hash: string): number | null {
  const number = /^L(\d{1,9})$/.exec(hash)?.[1];
  return number === undefined ? null : Number(number);
}

/** The address of the lines as a file. */
export function exportUrl(jobId: number, filter: LogFilter): string {
  const query = new URLSearchParams(Object.entries(filter).map(([key, value]) => [key, String(value)]));
  return `${ROOT}/api/v1/jobs/${jobId}/log/export${query.size > 0 ? `?${query}` : ""}`;
}
