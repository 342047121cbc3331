/** The files that Prometheus and Grafana need to show this server's metrics. */
import { useQuery } from "@tanstack/react-query";
import { graphsQuery } from "../../../data/server";
import { monitoringFilesQuery } from "../../../data/settings";
import { Loaded } from "../../../components/states/Loaded";
import { SettingsFrame } from "../SettingsFrame";
import { Dashboards } from "./Dashboards";
import { Scrape } from "./Scrape";

export function MonitoringPage() {
  const files = useQuery(monitoringFilesQuery);
  const graphs = useQuery(graphsQuery);
  return (
    <SettingsFrame title="Monitoring" about="Prometheus reads the metrics of the server and of all ranks; Grafana shows them.">
      <Loaded query={files} what="The files could not be loaded" rows={8}>
        {(found) => (
          <>
            <Scrape rules={found.filter(({ kind }) => kind === "rules")} url={graphs.data?.prometheus_url ?? null} />
            <Dashboards dashboards={found.filter(({ kind }) => kind === "dashboard")} url={graphs.data?.grafana_url ?? null} />
          </>
        )}
      </Loaded>
    </SettingsFrame>
  );
}
