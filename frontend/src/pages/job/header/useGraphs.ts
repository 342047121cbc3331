import { useQuery } from "@tanstack/react-query";
import { graphsQuery } from "../../../data/server";

/** The addresses of Grafana and Prometheus; none until the server has answered. */
export function useGraphs(): { grafana_url?: string | null; prometheus_url?: string | null } {
  return useQuery(graphsQuery).data ?? {};
}
