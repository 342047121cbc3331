/** The question about a diagnosis; it is loaded with its card. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client";
import { jobKey } from "../../../data/keys";

/** The measured pairs and the verdict; asked for again after each pair, and once more when the job is over. */
export function diagnosisQuery(id: number, pairs: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(id, "diagnosis", pairs, isOver),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/diagnosis", { params: { path: { job_id: id } } })),
    placeholderData: keepPreviousData,
    // Each pair makes a new answer; the earlier ones are of no use.
    gcTime: 0,
  });
}
