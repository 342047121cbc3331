import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client";
import { jobKey } from "../../../data/keys";

/** Whether the bandwidth of a job is what was to be expected. */
export function judgementQuery(id: number) {
  return queryOptions({
    queryKey: jobKey(id, "judgement"),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/judgement", { params: { path: { job_id: id } } })),
  });
}
