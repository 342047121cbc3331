/** The questions about the insides of some jobs; they are loaded with what shows the answers. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { jobKey } from "./keys";

/** The newest reported step of each stage, and the bubble. */
export function pipelineQuery(id: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(id, "pipeline", isOver),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/pipeline", { params: { path: { job_id: id } } })),
    placeholderData: keepPreviousData,
  });
}

/** The collectives that a script called, by size. */
export function collectivesQuery(id: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(id, "collectives", isOver),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/collectives", { params: { path: { job_id: id } } })),
    placeholderData: keepPreviousData,
  });
}

/** What the sums of activations cost, and what dividing the layers saves. */
export function tensorQuery(id: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(id, "tensor", isOver),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/tensor", { params: { path: { job_id: id } } })),
    placeholderData: keepPreviousData,
  });
}
