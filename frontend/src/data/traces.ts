/** Operations that a job traced transfer by transfer. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { ROOT } from "../api/site";
import { jobKey } from "./keys";

/** Which operation; if left out, the largest. */
export interface TraceFilter {
  size_bytes?: number | undefined;
  algorithm?: string | undefined;
  in_place?: boolean | undefined;
}

const POLL_MS = 3_000;

/** Every traced operation, for the page's choice; asked for now and then until the job is over. */
export function tracesQuery(jobId: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(jobId, "traces", isOver),
    placeholderData: keepPreviousData,
    refetchInterval: isOver ? false : POLL_MS,
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/traces", { params: { path: { job_id: jobId } } })).items,
  });
}

/** One traced operation; a job without a trace is an error, which says how to get one. */
export function traceQuery(jobId: number, filter: TraceFilter) {
  return queryOptions({
    queryKey: jobKey(jobId, "trace", filter),
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async () =>
      unwrap(await api.GET("/api/v1/jobs/{job_id}/trace", { params: { path: { job_id: jobId }, query: queryOf(filter) } })),
  });
}

/** Defaults stay out of the URL. */
function queryOf({ size_bytes, algorithm, in_place }: TraceFilter) {
  return { size_bytes: size_bytes ?? null, algorithm: algorithm ?? null, in_place: in_place ?? null };
}

/** The address of the same trace as a file for ui.perfetto.dev. */
export function perfettoPath(jobId: number, filter: TraceFilter): string {
  return `${ROOT}/api/v1${tracePath(jobId, filter, "trace.perfetto.json")}`;
}

/** The path of a trace in the API, from /api/v1 on. */
export function tracePath(jobId: number, filter: TraceFilter, what = "trace"): string {
  const query = Object.entries(filter).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return `/jobs/${jobId}/${what}?${new URLSearchParams(query)}`;
}
