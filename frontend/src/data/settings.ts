/** The data of the settings: tokens, webhooks, schedules, the audit. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { DeliveryView } from "../api/types";
import type { AuditParams } from "../lib/audit";
import { settingsKey } from "./keys";

const ALL = 1000;
const DELIVERIES_POLL_MS = 3_000;
/** While a delivery waits for its first try. */
const SENDING_POLL_MS = 500;

/** Tokens of people and agents, newest first; for admins. */
export const tokensQuery = queryOptions({
  queryKey: settingsKey("tokens"),
  queryFn: async () => unwrap(await api.GET("/api/v1/tokens", { params: { query: { limit: ALL } } })).items,
});

/** Webhooks, newest first; for admins. */
export const webhooksQuery = queryOptions({
  queryKey: settingsKey("webhooks"),
  queryFn: async () => unwrap(await api.GET("/api/v1/webhooks", { params: { query: { limit: ALL } } })).items,
});

/** Messages of a webhook, newest first; asked for again while some are being sent. */
export function deliveriesQuery(id: number) {
  return queryOptions({
    queryKey: settingsKey("webhooks", id, "deliveries"),
    queryFn: async () => unwrap(await api.GET("/api/v1/webhooks/{webhook_id}/deliveries", { params: { path: { webhook_id: id } } })).items,
    refetchInterval: ({ state }) => (state.data?.some(isUntried) ? SENDING_POLL_MS : DELIVERIES_POLL_MS),
  });
}

function isUntried({ state, last_error: lastError }: DeliveryView): boolean {
  return state === "pending" && lastError === "";
}

/** The types of events, with their meanings. */
export const eventTypesQuery = queryOptions({
  queryKey: settingsKey("event types"),
  queryFn: async () => unwrap(await api.GET("/api/v1/events/types")).items,
  staleTime: Infinity,
});

/** Schedules, newest first. */
export const schedulesQuery = queryOptions({
  queryKey: settingsKey("schedules"),
  queryFn: async () => unwrap(await api.GET("/api/v1/schedules", { params: { query: { limit: ALL } } })).items,
});

/** The next times of a schedule, for one revision of it. */
export function upcomingQuery(id: number, revision: number) {
  return queryOptions({
    queryKey: settingsKey("schedules", id, "upcoming", revision),
    queryFn: async () => unwrap(await api.GET("/api/v1/schedules/{schedule_id}/upcoming", { params: { path: { schedule_id: id } } })).items,
  });
}

/** The next times of a cron expression in a time zone; a wrong one is an error at once. */
export function cronTimesQuery(cron: string, timezone: string) {
  return queryOptions({
    queryKey: settingsKey("schedules", "times", cron, timezone),
    queryFn: async () => unwrap(await api.GET("/api/v1/schedules/times", { params: { query: { cron, timezone } } })).items,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The files that Prometheus and Grafana need. */
export const monitoringFilesQuery = queryOptions({
  queryKey: settingsKey("monitoring"),
  queryFn: async () => unwrap(await api.GET("/api/v1/monitoring/files")).items,
  staleTime: Infinity,
});

/** Prometheus' configuration for this server. */
export const scrapeConfigurationQuery = queryOptions({
  queryKey: settingsKey("monitoring", "prometheus.yml"),
  queryFn: async () => {
    const params = { path: { name: "prometheus.yml" } };
    return String(unwrap(await api.GET("/api/v1/monitoring/files/{name}", { params, parseAs: "text" })));
  },
  staleTime: Infinity,
});

/** Events that match a filter, newest first, page by page. */
export function auditQuery(filter: AuditParams) {
  return infiniteQueryOptions({
    queryKey: settingsKey("audit", filter),
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) =>
      unwrap(await api.GET("/api/v1/events", { params: { query: { ...filter, limit: 100, ...(pageParam && { cursor: pageParam }) } } })),
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}
