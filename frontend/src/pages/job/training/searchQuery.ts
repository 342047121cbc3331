/** The question about a strategy search; it is loaded with its card. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client";
import { jobKey } from "../../../data/keys";

/** How the candidates stand; asked for again after each run, and once more when the job is over. */
export function strategySearchQuery(id: number, runs: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(id, "search", runs, isOver),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/search", { params: { path: { job_id: id } } })),
    placeholderData: keepPreviousData,
    // Each run makes a new answer; the earlier ones are of no use.
    gcTime: 0,
  });
}
