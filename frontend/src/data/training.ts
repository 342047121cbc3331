/** The pages' questions about training. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { jobKey } from "./keys";
import { collect, PAGE } from "./lists";
import type { EpochView } from "../api/types";

/** Epochs of training over all attempts, for comparisons of jobs; asked for again when more have ended. */
export function epochsQuery(id: number, done: number) {
  const path = { job_id: id };
  return queryOptions({
    queryKey: jobKey(id, "epochs", done),
    queryFn: ({ client }): Promise<EpochView[]> =>
      collect(client, [], async (cursor) => {
        const query = { limit: PAGE, ...(cursor && { cursor }) };
        return unwrap(await api.GET("/api/v1/jobs/{job_id}/epochs", { params: { path, query } }));
      }),
    placeholderData: keepPreviousData,
    // Each epoch makes a new list; the earlier lists are of no use, and would be kept for minutes.
    gcTime: 0,
  });
}

/** The most epochs that are shown: more cannot be read, and would grow for as long as a job trains. */
export const MOST_EPOCHS = 200;

/** The newest epochs of training, in the order in which they were reported; asked for again when more have ended. */
export function newestEpochsQuery(id: number, done: number) {
  const query = { limit: MOST_EPOCHS, newest: true };
  return queryOptions({
    queryKey: jobKey(id, "newest epochs", done),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/epochs", { params: { path: { job_id: id }, query } })).items,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
}

/** Parts of a training job that change with its steps; deltas lead to a new request for them. */
export const DRAWN_FROM_STEPS = ["curve", "buckets", "collectives", "pipeline", "tensor", "events"] as const;
const CURVE_POINTS = 400;

/** Loss, throughput and the parts of a step; asked for again when steps come, and once more when the job is over. */
export function curveQuery(id: number, isOver: boolean) {
  const path = { job_id: id };
  return queryOptions({
    queryKey: jobKey(id, "curve", isOver),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/training", { params: { path, query: { points: CURVE_POINTS } } })),
    placeholderData: keepPreviousData,
  });
}

/** The timeline within the newest step of each rank. */
export function bucketsQuery(id: number, isOver: boolean) {
  return queryOptions({
    queryKey: jobKey(id, "buckets", isOver),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/buckets", { params: { path: { job_id: id } } })).items,
    placeholderData: keepPreviousData,
  });
}
