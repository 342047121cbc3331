/** The output of a job. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { LogLine } from "../api/types";
import type { LogFilter } from "../lib/search/logFilter";
import { jobKey } from "./keys";

/** The length of a log and the cursors of its pages; with a time, also the last line printed by then. */
export function logOutlineQuery(id: number, filter: LogFilter, at?: string) {
  const query = { ...filter, ...(at !== undefined && { at }) };
  return queryOptions({
    queryKey: jobKey(id, "log", "outline", query),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/log/outline", { params: { path: { job_id: id }, query } })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/**
 * One page of a log; `end` is the log's current end, so that a page is read again when it has grown, or when a line in
 * it was replaced by a newer state of itself.
 */
export function logPageQuery(id: number, filter: LogFilter, cursor: string | null, limit: number, end: string | number | null) {
  return queryOptions({
    queryKey: jobKey(id, "log", "page", filter, cursor, end),
    queryFn: async (): Promise<LogLine[]> => {
      const query = { ...filter, limit, ...(cursor !== null && { cursor }) };
      return unwrap(await api.GET("/api/v1/jobs/{job_id}/log", { params: { path: { job_id: id }, query } })).items;
    },
    staleTime: Infinity,
    gcTime: 60_000,
  });
}
