/** Comparisons of benchmarks with a base job. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { comparisonKey, REGRESSIONS_KEY } from "./keys";

/** A comparison of benchmarks with a base job; `done` is their number of rows, so that new rows lead to a new request. */
export function comparisonQuery(ids: readonly number[], base: number, done: number) {
  return queryOptions({
    queryKey: comparisonKey("sizes", ids, base, done),
    queryFn: async () => unwrap(await api.GET("/api/v1/comparison", { params: { query: { job: [...ids], base } } })),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  });
}

/** The comparison of succeeded benchmarks with a base job, in one figure each. */
export function standingsQuery(ids: readonly number[], base: number) {
  return queryOptions({
    queryKey: comparisonKey("standings", ids, base),
    queryFn: async () => {
      const query = { job: [...ids, base], base };
      return unwrap(await api.GET("/api/v1/comparison/standings", { params: { query } })).jobs.filter((job) => ids.includes(job.job_id));
    },
    staleTime: Infinity,
  });
}

const REGRESSIONS_MS = 60_000;

/** What became slower in the last 24 hours; asked for again now and then, as days go by. */
export const regressionsQuery = queryOptions({
  queryKey: REGRESSIONS_KEY,
  queryFn: async () => unwrap(await api.GET("/api/v1/comparison/regressions")),
  refetchInterval: REGRESSIONS_MS,
});
