/** Links to the job in Grafana and Prometheus, if the server knows their addresses. */
import type { JobView } from "../../../api/types";
import { grafanaLink, prometheusLink } from "./graphs";
import { useGraphs } from "./useGraphs";

export function GraphLinks({ job }: { job: JobView }) {
  const { grafana_url: grafana, prometheus_url: prometheus } = useGraphs();
  return (
    <>
      {grafana && <a href={grafanaLink(grafana, job)}>Grafana</a>}
      {prometheus && <a href={prometheusLink(prometheus, job)}>Prometheus</a>}
    </>
  );
}
