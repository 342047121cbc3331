/** Links to the job in Grafana and Prometheus, if the server knows their addresses. */
import { useQuery } from "@tanstack/react-query";
import { graphsQuery } from "../../../data/server";
import type { JobView } from "../../../api/types";
import { grafanaLink, prometheusLink } from "./graphs";

export function GraphLinks({ job }: { job: JobView }) {
  const graphs = useQuery(graphsQuery);
  const { grafana_url: grafana, prometheus_url: prometheus } = graphs.data ?? {};
  return (
    <>
      {grafana && <a href={grafanaLink(grafana, job)}>Grafana</a>}
      {prometheus && <a href={prometheusLink(prometheus, job)}>Prometheus</a>}
    </>
  );
}
