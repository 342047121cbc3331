/** What the pages ask the server about itself, and about who asks. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => unwrap(await api.GET("/api/v1/me")),
  retry: false,
  // It is asked before anything is drawn; that nobody is logged in need not be heard twice.
  retryOnMount: false,
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
