/** What the pages ask the server for: one factory per question, so that a key is written once. */
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { mergeById, newerJob } from "../lib/merge";
import { api, unwrap } from "./client";
import type { EventView, JobPage, JobState, JobView, LogLine, MeasurementView, NodeView } from "./types";

const PAGE = 500;
const MAX_PAGES = 20;
/** As many items of one list are loaded at most; pages that reach it say so. */
export const MAX_ITEMS = PAGE * MAX_PAGES;
const JOBS_PAGE = 50;

export interface JobFilter {
  state?: JobState | undefined;
  q?: string | undefined;
}

/** A node and when this browser heard of it: ages go on from there, whatever the two clocks say. */
export type SeenNode = NodeView & { seen_at_ms: number };

export function seenNow(node: NodeView): SeenNode {
  return { ...node, seen_at_ms: Date.now() };
}

interface Page<T> {
  items: T[];
  next: string | null;
}

/** All pages of an ascending list, merged over what live deltas have already put into the cache. */
async function collect<T extends { id: number }>(
  client: QueryClient,
  queryKey: readonly unknown[],
  load: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await load(cursor);
    items.push(...answer.items);
    if (answer.next === null) break;
    cursor = answer.next;
  }
  return mergeById(items, client.getQueryData<T[]>(queryKey) ?? []);
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => unwrap(await api.GET("/api/v1/me")),
  retry: false,
  staleTime: Infinity,
});

/** What a benchmark can be made of; it changes only with the server's version. */
export const engineQuery = queryOptions({
  queryKey: ["engine"],
  queryFn: async () => unwrap(await api.GET("/api/v1/engine")),
  staleTime: Infinity,
});

export const clusterQuery = queryOptions({
  queryKey: ["cluster"],
  queryFn: async () => unwrap(await api.GET("/api/v1/cluster")),
});

export const nodesQuery = queryOptions({
  queryKey: ["nodes"],
  queryFn: async () => unwrap(await api.GET("/api/v1/nodes")).items.map(seenNow),
});

export const recentJobsQuery = queryOptions({
  queryKey: ["jobs", "recent"],
  queryFn: async () => unwrap(await api.GET("/api/v1/jobs", { params: { query: { limit: 30 } } })).items,
});

/** The job list under a filter, newest first, page by page. */
export function jobsQuery(filter: JobFilter) {
  return infiniteQueryOptions({
    queryKey: ["jobs", "list", filter],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }): Promise<JobPage> => {
      const query = {
        limit: JOBS_PAGE,
        ...(filter.state && { state: [filter.state] }),
        ...(filter.q && { q: filter.q }),
        ...(pageParam && { cursor: pageParam }),
      };
      return unwrap(await api.GET("/api/v1/jobs", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
  });
}

/** One job; never replaced by an older view of itself. */
export function jobQuery(id: number) {
  const queryKey = ["job", id] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ client }): Promise<JobView> => {
      const job = unwrap(await api.GET("/api/v1/jobs/{job_id}", { params: { path: { job_id: id } } }));
      return newerJob(client.getQueryData<JobView>(queryKey), job);
    },
  });
}

/** The rows of a job's sweep, ascending by id. */
export function measurementsQuery(id: number) {
  const queryKey = ["job", id, "measurements"] as const;
  const path = { job_id: id };
  return queryOptions({
    queryKey,
    queryFn: ({ client }): Promise<MeasurementView[]> =>
      collect(client, queryKey, async (cursor) => {
        const query = { limit: PAGE, ...(cursor && { cursor }) };
        return unwrap(await api.GET("/api/v1/jobs/{job_id}/measurements", { params: { path, query } }));
      }),
  });
}

/** The lines of a job's log, ascending by id. */
export function logQuery(id: number) {
  const queryKey = ["job", id, "log"] as const;
  const path = { job_id: id };
  return queryOptions({
    queryKey,
    queryFn: ({ client }): Promise<LogLine[]> =>
      collect(client, queryKey, async (cursor) => {
        const query = { limit: PAGE, ...(cursor && { cursor }) };
        return unwrap(await api.GET("/api/v1/jobs/{job_id}/log", { params: { path, query } }));
      }),
  });
}

/** What each attempt of a job ran in. */
export function environmentsQuery(id: number) {
  return queryOptions({
    queryKey: ["job", id, "environments"],
    queryFn: async () =>
      unwrap(await api.GET("/api/v1/jobs/{job_id}/environment", { params: { path: { job_id: id } } })).items,
  });
}

/** What happened to a job, oldest first. */
export function eventsQuery(id: number) {
  const queryKey = ["job", id, "events"] as const;
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
