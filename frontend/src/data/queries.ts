/** What the pages ask the server for: one factory per question, so that a key is written once. */
import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { AuditParams } from "../lib/audit";
import type { JobFilter, Sort } from "../lib/jobFilter";
import { mergeById, newerJob, newerSteps } from "./merge";
import type { LogFilter } from "../lib/logFilter";
import { isBenchmark } from "../lib/state";
import { api, unwrap } from "../api/client";
import type { paths } from "../api/schema";
import type { EventView, JobPage, JobView, LogLine, MeasurementView, NewestSteps, NodeView } from "../api/types";

export const PAGE = 500;
const MAX_PAGES = 20;
/** As many items of one list are loaded at most; pages that reach it say so. */
export const MAX_ITEMS = PAGE * MAX_PAGES;
const JOBS_PAGE = 50;

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
export async function collect<T extends { id: number }>(
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

/** Where Prometheus and Grafana are. */
export const graphsQuery = queryOptions({
  queryKey: ["graphs"],
  queryFn: async () => unwrap(await api.GET("/api/v1/graphs")),
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

/** Bandwidth between pairs of nodes, as sendrecv jobs measured it. */
export const linksQuery = queryOptions({
  queryKey: ["links"],
  queryFn: async () => unwrap(await api.GET("/api/v1/links")).items,
});

const READINGS_MS = 10_000;

/** How busy nodes were in the last minutes, by name. */
export const readingsQuery = queryOptions({
  queryKey: ["readings"],
  queryFn: async () => unwrap(await api.GET("/api/v1/readings")).items,
  refetchInterval: READINGS_MS,
});

/** What happened to a node, newest first. */
export function nodeEventsQuery(name: string) {
  const query = { target_type: "node", target_id: name, limit: 20 };
  return queryOptions({
    queryKey: ["nodes", name, "events"],
    queryFn: async () => unwrap(await api.GET("/api/v1/events", { params: { query } })).items,
  });
}

export const recentJobsQuery = queryOptions({
  queryKey: ["jobs", "recent"],
  queryFn: async () => unwrap(await api.GET("/api/v1/jobs", { params: { query: { limit: 30 } } })).items,
});

const MOST_ACTIVE = 100;

/** Jobs that have a gang right now, newest first; deltas keep them, as they do the recent ones. */
export const activeJobsQuery = queryOptions({
  queryKey: ["jobs", "active"],
  queryFn: async () => {
    const query = { state: ["starting", "running", "stopping"], limit: MOST_ACTIVE } as const;
    return unwrap(await api.GET("/api/v1/jobs", { params: { query: { ...query, state: [...query.state] } } })).items;
  },
});

const RECOUNT_JOBS_MS = 10_000;

/** The benchmark that measured the best bus bandwidth of those that succeeded since a time; null: none did. */
export function bestJobQuery(since: string) {
  return queryOptions({
    queryKey: ["jobs", "best", since],
    queryFn: async () => {
      const query = { kind: "benchmark", sort: "-busbw", limit: 1, finished_after: since } as const;
      const { items } = unwrap(await api.GET("/api/v1/jobs", { params: { query: { ...query, state: ["succeeded"] } } }));
      return items.filter(isBenchmark)[0] ?? null;
    },
    refetchInterval: RECOUNT_JOBS_MS,
  });
}

/** The newest jobs whose name holds a text, for the command palette. */
export function paletteJobsQuery(text: string) {
  return queryOptions({
    queryKey: ["jobs", "named", text],
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs", { params: { query: { limit: 8, q: text } } })).items,
    placeholderData: keepPreviousData,
  });
}

/** The job list under a filter and in an order, page by page. */
export function jobsQuery(filter: JobFilter, sort?: Sort) {
  return infiniteQueryOptions({
    queryKey: ["jobs", "list", filter, sort],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }): Promise<JobPage> => {
      const query = { ...asQuery(filter), limit: JOBS_PAGE, ...(sort && { sort }), ...(pageParam && { cursor: pageParam }) };
      return unwrap(await api.GET("/api/v1/jobs", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}

/** How many jobs there are of each state, kind, collective, algorithm and user; asked for again now and then. */
export function facetsQuery(filter: JobFilter) {
  return queryOptions({
    queryKey: ["jobs", "facets", filter],
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/facets", { params: { query: asQuery(filter) } })),
    placeholderData: keepPreviousData,
    refetchInterval: RECOUNT_JOBS_MS,
  });
}

/** The filter as the API takes it. The words of a URL are the server's to judge. */
function asQuery({ state, ...rest }: JobFilter) {
  return { ...rest, ...(state && { state: [state] }) } as NonNullable<paths["/api/v1/jobs/facets"]["get"]["parameters"]["query"]>;
}

/** Jobs that were submitted since the lists were asked for, newest first; deltas fill it. */
export const arrivedQuery = queryOptions({
  queryKey: ["jobs", "arrived"],
  queryFn: (): JobView[] => [],
  initialData: [],
  staleTime: Infinity,
});

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

/** What each rank of a job is at; the stream goes on from there. */
export function newestStepsQuery(id: number) {
  const queryKey = ["job", id, "newest steps"] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ client }): Promise<NewestSteps> => {
      const found = unwrap(await api.GET("/api/v1/jobs/{job_id}/steps/newest", { params: { path: { job_id: id } } }));
      return newerSteps(client.getQueryData<NewestSteps>(queryKey), found);
    },
  });
}

/** What the rows of a benchmark can be held against; asked for anew with each attempt. */
export function expectationsQuery(id: number, attempts: number) {
  return queryOptions({
    queryKey: ["job", id, "expectations", attempts],
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/expectations", { params: { path: { job_id: id } } })),
    staleTime: Infinity,
  });
}

/** One row of a sweep. */
export interface RowPlace {
  algorithm: string;
  sizeBytes: number;
  inPlace: boolean;
}

/** The iterations of a row; a row is told after its iterations, so that they are all there. */
export function latenciesQuery(id: number, attempt: number, { algorithm, sizeBytes, inPlace }: RowPlace) {
  const query = { algorithm, size_bytes: sizeBytes, in_place: inPlace, attempt };
  return queryOptions({
    queryKey: ["job", id, "latencies", query],
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/latencies", { params: { path: { job_id: id }, query } })),
    placeholderData: keepPreviousData,
  });
}

/** Who comes late to the iterations of a row. */
export function latenessQuery(id: number, attempt: number, { algorithm, sizeBytes, inPlace }: RowPlace) {
  const query = { algorithm, size_bytes: sizeBytes, in_place: inPlace, attempt };
  return queryOptions({
    queryKey: ["job", id, "lateness", query],
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/lateness", { params: { path: { job_id: id }, query } })),
    placeholderData: keepPreviousData,
  });
}

/** How long a log is, and where its pages begin. */
export function logOutlineQuery(id: number, filter: LogFilter) {
  return queryOptions({
    queryKey: ["job", id, "log", "outline", filter],
    queryFn: async () =>
      unwrap(await api.GET("/api/v1/jobs/{job_id}/log/outline", { params: { path: { job_id: id }, query: { ...filter } } })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** One page of a log; `lines` is how many of it there are, so that the last page is read again when it has grown. */
export function logPageQuery(id: number, filter: LogFilter, cursor: string | null, limit: number, lines: number) {
  return queryOptions({
    queryKey: ["job", id, "log", "page", filter, cursor, lines],
    queryFn: async (): Promise<LogLine[]> => {
      const query = { ...filter, limit, ...(cursor !== null && { cursor }) };
      return unwrap(await api.GET("/api/v1/jobs/{job_id}/log", { params: { path: { job_id: id }, query } })).items;
    },
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

/** Benchmarks beside a baseline; `done` are their rows so far, so that it is asked for again when there are more. */
export function comparisonQuery(ids: readonly number[], base: number, done: number) {
  return queryOptions({
    queryKey: ["comparison", ids, base, done],
    queryFn: async () => unwrap(await api.GET("/api/v1/comparison", { params: { query: { job: [...ids], base } } })),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  });
}

/** How succeeded benchmarks stand to a baseline, in one figure each. */
export function standingsQuery(ids: readonly number[], base: number) {
  return queryOptions({
    queryKey: ["comparison", "standings", ids, base],
    queryFn: async () => {
      const query = { job: [...ids, base], base };
      return unwrap(await api.GET("/api/v1/comparison/standings", { params: { query } })).jobs.filter((job) => ids.includes(job.job_id));
    },
    staleTime: Infinity,
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

/** What was found wrong with a job, with the evidence; asked for again once an insight is over, which completes it. */
export function insightsQuery(id: number, until: string | null) {
  return queryOptions({
    queryKey: ["job", id, "insights", until],
    queryFn: async () =>
      unwrap(await api.GET("/api/v1/jobs/{job_id}/insights", { params: { path: { job_id: id } } })).items,
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

const ALL = 1000;
const DELIVERIES_POLL_MS = 3_000;

/** Tokens of people and agents, newest first; for admins. */
export const tokensQuery = queryOptions({
  queryKey: ["settings", "tokens"],
  queryFn: async () => unwrap(await api.GET("/api/v1/tokens", { params: { query: { limit: ALL } } })).items,
});

/** Webhooks, newest first; for admins. */
export const webhooksQuery = queryOptions({
  queryKey: ["settings", "webhooks"],
  queryFn: async () => unwrap(await api.GET("/api/v1/webhooks", { params: { query: { limit: ALL } } })).items,
});

/** Messages of a webhook, newest first; asked for again while they are under way. */
export function deliveriesQuery(id: number) {
  return queryOptions({
    queryKey: ["settings", "webhooks", id, "deliveries"],
    queryFn: async () => unwrap(await api.GET("/api/v1/webhooks/{webhook_id}/deliveries", { params: { path: { webhook_id: id } } })).items,
    refetchInterval: DELIVERIES_POLL_MS,
  });
}

/** Schedules, newest first. */
export const schedulesQuery = queryOptions({
  queryKey: ["settings", "schedules"],
  queryFn: async () => unwrap(await api.GET("/api/v1/schedules", { params: { query: { limit: ALL } } })).items,
});

/** The next times of a schedule as it stands in a revision. */
export function upcomingQuery(id: number, revision: number) {
  return queryOptions({
    queryKey: ["settings", "schedules", id, "upcoming", revision],
    queryFn: async () => unwrap(await api.GET("/api/v1/schedules/{schedule_id}/upcoming", { params: { path: { schedule_id: id } } })).items,
  });
}

/** Events under a filter, newest first, page by page. */
export function auditQuery(filter: AuditParams) {
  return infiniteQueryOptions({
    queryKey: ["settings", "audit", filter],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) =>
      unwrap(await api.GET("/api/v1/events", { params: { query: { ...filter, limit: 100, ...(pageParam && { cursor: pageParam }) } } })),
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}
