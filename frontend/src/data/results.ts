/** The results of a benchmark, and what they can be compared with. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { MeasurementView } from "../api/types";
import { jobKey } from "./keys";
import { collect, PAGE } from "./lists";

/** The rows of a sweep as the newest attempt measured them, ascending by id. Each attempt begins with none. */
export function measurementsQuery(id: number, attempts: number) {
  const queryKey = jobKey(id, "measurements", attempts);
  const path = { job_id: id };
  return queryOptions({
    queryKey,
    queryFn: ({ client }): Promise<MeasurementView[]> =>
      collect(client, queryKey, async (cursor) => {
        const query = { limit: PAGE, ...(cursor && { cursor }) };
        return unwrap(await api.GET("/api/v1/jobs/{job_id}/measurements", { params: { path, query } }));
      }),
  });
}

/** The ends of a part of a sweep in bytes; the sweep's own end when absent. */
export interface SizeRange {
  min_bytes?: number;
  max_bytes?: number;
}

/** The verdict on a part of the sizes of a job that has ended. */
export function verdictQuery(id: number, range: SizeRange) {
  return queryOptions({
    queryKey: jobKey(id, "verdict", range),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/verdict", { params: { path: { job_id: id }, query: range } })),
    placeholderData: keepPreviousData,
  });
}

/** The predictions and baselines for the rows of a benchmark; asked for again with each attempt. */
export function jobPredictionQuery(id: number, attempts: number) {
  return queryOptions({
    queryKey: jobKey(id, "prediction", attempts),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/prediction", { params: { path: { job_id: id } } })),
    staleTime: Infinity,
  });
}

/** One row of a sweep. */
export interface RowPlace {
  algorithm: string;
  sizeBytes: number;
  inPlace: boolean;
}

/** The iterations of a row; a row is reported after its iterations, so they are all there. */
export function latenciesQuery(id: number, attempt: number, { algorithm, sizeBytes, inPlace }: RowPlace) {
  const query = { algorithm, size_bytes: sizeBytes, in_place: inPlace, attempt };
  return queryOptions({
    queryKey: jobKey(id, "latencies", query),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/latencies", { params: { path: { job_id: id }, query } })),
    placeholderData: keepPreviousData,
  });
}

/** Which ranks come late to the iterations of a row. */
export function latenessQuery(id: number, attempt: number, { algorithm, sizeBytes, inPlace }: RowPlace) {
  const query = { algorithm, size_bytes: sizeBytes, in_place: inPlace, attempt };
  return queryOptions({
    queryKey: jobKey(id, "lateness", query),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/lateness", { params: { path: { job_id: id }, query } })),
    placeholderData: keepPreviousData,
  });
}
