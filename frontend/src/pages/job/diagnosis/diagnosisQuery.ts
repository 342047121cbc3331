/** The question about a diagnosis; it is loaded with its card. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client";
import { jobKey } from "../../../data/keys";

/** The verdict and the pairs, of many nodes without those that were measured; asked for again after each pair, and once more when the job is over. */
export function diagnosisQuery(id: number, pairs: number, isOver: boolean, isMany = false) {
  const query = isMany ? { without_measured: true } : {};
  return queryOptions({
    queryKey: jobKey(id, "diagnosis", pairs, isOver, isMany),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/diagnosis", { params: { path: { job_id: id }, query } })),
    placeholderData: keepPreviousData,
    // Each pair makes a new answer; the earlier ones are of no use.
    gcTime: 0,
  });
}
