/** The question about a strategy search. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { StrategySearch } from "../api/types";
import { jobKey } from "./keys";

/** How the candidates stand; asked for again after each run, and once more when the job is over. */
export function strategySearchQuery(id: number, runs: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(id, "search", runs, isOver),
    queryFn: async () => foundSearch(id),
    placeholderData: keepPreviousData,
    // Each run makes a new answer; the earlier ones are of no use.
    gcTime: 0,
  });
}

/** What is expected of the candidates' sums. */
export function searchForecastQuery(id: number, attempts: number) {
  return queryOptions({
    queryKey: jobKey(id, "search forecast", attempts),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/search/forecast", { params: { path: { job_id: id } } })),
    staleTime: Infinity,
  });
}

/** How the candidates stand now. */
export async function foundSearch(id: number): Promise<StrategySearch> {
  return unwrap(await api.GET("/api/v1/jobs/{job_id}/search", { params: { path: { job_id: id } } }));
}
