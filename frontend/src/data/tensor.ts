/** The question about divided layers; it is loaded with the drawing. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { jobKey } from "./keys";

/** What the sums of activations cost, and what dividing the layers saves. */
export function tensorQuery(id: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(id, "tensor", isOver),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/tensor", { params: { path: { job_id: id } } })),
    placeholderData: keepPreviousData,
  });
}
