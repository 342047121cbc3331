/** What the ranks of a running job are doing. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { jobKey } from "./keys";

/** What the ranks of a running job are doing; asked for again while the page shows it. */
export function activityQuery(id: number) {
  return queryOptions({
    queryKey: jobKey(id, "activity"),
    queryFn: async () =>
      unwrap(await api.GET("/api/v1/jobs/{job_id}/activity", { params: { path: { job_id: id } } })).items,
    refetchInterval: 2000,
  });
}
