/** Lists of jobs: the newest, the active, those that match a filter. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { paths } from "../api/schema";
import type { JobPage, JobView } from "../api/types";
import type { JobFilter, Sort } from "../lib/search/jobFilter";
import { isBenchmark } from "../lib/state";
import { jobsKey } from "./keys";

const JOBS_PAGE = 50;
export const MOST_RECENT = 30;

/** The newest jobs; deltas keep the list current. */
export const recentJobsQuery = queryOptions({
  queryKey: jobsKey("recent"),
  queryFn: async () => unwrap(await api.GET("/api/v1/jobs", { params: { query: { limit: MOST_RECENT } } })).items,
});

const MOST_ACTIVE = 100;

/** Jobs that have a gang now, newest first; deltas keep the list current. */
export const activeJobsQuery = queryOptions({
  queryKey: jobsKey("active"),
  queryFn: async () => {
    const query = { state: ["starting", "running", "stopping"], limit: MOST_ACTIVE } as const;
    return unwrap(await api.GET("/api/v1/jobs", { params: { query: { ...query, state: [...query.state] } } })).items;
  },
});

const RECOUNT_JOBS_MS = 10_000;

/** The succeeded benchmark with the best bus bandwidth since a time; null: there is none. */
export function bestJobQuery(since: string) {
  return queryOptions({
    queryKey: jobsKey("best", since),
    queryFn: async () => {
      const query = { kind: "benchmark", sort: "-busbw", limit: 1, finished_after: since } as const;
      const { items } = unwrap(await api.GET("/api/v1/jobs", { params: { query: { ...query, state: ["succeeded"] } } }));
      return items.filter(isBenchmark)[0] ?? null;
    },
    refetchInterval: RECOUNT_JOBS_MS,
  });
}

const DAY_MS = 86_400_000;

/** The numbers of jobs that ended in a time. */
export interface Ended {
  finished: number;
  failed: number;
}

/** Those that ended in the last 24 hours, and in the 24 hours before. */
export const dayCountsQuery = queryOptions({
  queryKey: jobsKey("facets", "ended"),
  queryFn: async () => {
    const [day, twoDays] = await Promise.all([endedSince(Date.now() - DAY_MS), endedSince(Date.now() - 2 * DAY_MS)]);
    return { day, dayBefore: { finished: twoDays.finished - day.finished, failed: twoDays.failed - day.failed } };
  },
  refetchInterval: RECOUNT_JOBS_MS,
});

async function endedSince(timeMs: number): Promise<Ended> {
  const query = { finished_after: new Date(timeMs).toISOString() };
  const { total, state } = unwrap(await api.GET("/api/v1/jobs/facets", { params: { query } }));
  return { finished: total, failed: state.find(({ value }) => value === "failed")?.count ?? 0 };
}

/** The newest jobs whose name contains a text, for the command palette. */
export function paletteJobsQuery(text: string) {
  return queryOptions({
    queryKey: jobsKey("named", text),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs", { params: { query: { limit: 8, q: text } } })).items,
    placeholderData: keepPreviousData,
  });
}

/** One page of a list, by its cursor; null: the first page. */
export async function askJobs(filter: JobFilter, sort: Sort | undefined, cursor: string | null): Promise<JobPage> {
  const query = { ...asQuery(filter), limit: JOBS_PAGE, ...(sort && { sort }), ...(cursor && { cursor }) };
  return unwrap(await api.GET("/api/v1/jobs", { params: { query } }));
}

/** The job list under a filter and in an order, page by page. */
export function jobsQuery(filter: JobFilter, sort?: Sort) {
  return infiniteQueryOptions({
    queryKey: jobsKey("list", filter, sort),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => askJobs(filter, sort, pageParam),
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}

/** The number of jobs of each state, kind, collective, algorithm and user; asked for again now and then. */
export function facetsQuery(filter: JobFilter) {
  return queryOptions({
    queryKey: jobsKey("facets", filter),
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/facets", { params: { query: asQuery(filter) } })),
    placeholderData: keepPreviousData,
    refetchInterval: RECOUNT_JOBS_MS,
  });
}

/** The filter as the API takes it. The server validates the words of a URL. */
function asQuery({ state, ...rest }: JobFilter) {
  return { ...rest, ...(state && { state: [state] }) } as NonNullable<paths["/api/v1/jobs/facets"]["get"]["parameters"]["query"]>;
}

/** Jobs that came or changed since the lists were loaded, the newest change first; deltas fill it. */
export const arrivedQuery = queryOptions({
  queryKey: jobsKey("arrived"),
  queryFn: (): JobView[] => [],
  initialData: [],
  staleTime: Infinity,
});
