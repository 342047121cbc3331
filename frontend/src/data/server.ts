/** The pages' questions about the server itself and about the user. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => unwrap(await api.GET("/api/v1/me")),
  retry: false,
  // It is asked before anything is drawn; a second answer that the user is not logged in is not needed.
  retryOnMount: false,
  staleTime: Infinity,
});

/** The addresses of Prometheus and Grafana. */
export const graphsQuery = queryOptions({
  queryKey: ["graphs"],
  queryFn: async () => unwrap(await api.GET("/api/v1/graphs")),
  staleTime: Infinity,
});

/** The choices for a benchmark; they change only with the server's version. */
export const engineQuery = queryOptions({
  queryKey: ["engine"],
  queryFn: async () => unwrap(await api.GET("/api/v1/engine")),
  staleTime: Infinity,
});
