/** One job and its history. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { EventView, JobView, NewestSteps } from "../api/types";
import { jobKey } from "./keys";
import { collect, PAGE } from "./lists";
import { newerJob, newerSteps } from "./merge";

/** One job; never replaced by an older view of itself. */
export function jobQuery(id: number) {
  const queryKey = jobKey(id);
  return queryOptions({
    queryKey,
    queryFn: async ({ client }): Promise<JobView> => {
      const job = unwrap(await api.GET("/api/v1/jobs/{job_id}", { params: { path: { job_id: id } } }));
      return newerJob(client.getQueryData<JobView>(queryKey), job);
    },
  });
}

/** The events of a job, oldest first. */
export function eventsQuery(id: number) {
  const queryKey = jobKey(id, "events");
  const path = { job_id: id };
  return queryOptions({
    queryKey,
    queryFn: ({ client }): Promise<EventView[]> =>
      collect(client, queryKey, async (cursor) => {
        const query = { limit: PAGE, ...(cursor && { cursor }) };
        return unwrap(await api.GET("/api/v1/jobs/{job_id}/events", { params: { path, query } }));
      }),
  });
}

/** The insights of a job with their evidence, and the checks; asked for again once an insight has ended, which completes it. */
export function insightsQuery(id: number, until: string | null) {
  return queryOptions({
    queryKey: jobKey(id, "insights", until),
    queryFn: async () =>
      unwrap(await api.GET("/api/v1/jobs/{job_id}/insights", { params: { path: { job_id: id } } })),
  });
}

/** The environment of each attempt of a job. */
export function environmentsQuery(id: number) {
  return queryOptions({
    queryKey: jobKey(id, "environments"),
    queryFn: async () =>
      unwrap(await api.GET("/api/v1/jobs/{job_id}/environment", { params: { path: { job_id: id } } })).items,
  });
}

/** The newest step of each rank of a job; the stream continues from there. */
export function newestStepsQuery(id: number) {
  const queryKey = jobKey(id, "newest steps");
  return queryOptions({
    queryKey,
    queryFn: async ({ client }): Promise<NewestSteps> => {
      const found = unwrap(await api.GET("/api/v1/jobs/{job_id}/steps/newest", { params: { path: { job_id: id } } }));
      return newerSteps(client.getQueryData<NewestSteps>(queryKey), found);
    },
  });
}
