/** Links to the job in Grafana and Prometheus, if the server knows their addresses. */
import { useQuery } from "@tanstack/react-query";
import { graphsQuery } from "../../../data/server";
import type { JobView } from "../../../api/types";
import { grafanaLink, prometheusLink } from "./graphs";

/** The addresses of Grafana and Prometheus; none until the server has answered. */
export function useGraphs(): { grafana_url?: string | null; prometheus_url?: string | null } {
  return useQuery(graphsQuery).data ?? {};
}

export function GraphLinks({ job }: { job: JobView }) {
  const { grafana_url: grafana, prometheus_url: prometheus } = useGraphs();
  return (
    <>
      {grafana && <a href={grafanaLink(grafana, job)}>Grafana</a>}
      {prometheus && <a href={prometheusLink(prometheus, job)}>Prometheus</a>}
    </>
  );
}
