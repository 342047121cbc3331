import { ROOT } from "../../../api/site";

export const CONFIGURATION = "prometheus.yml";

/** The address of one of the files for Prometheus and Grafana. */
export function fileUrl(name: string): string {
  return `${ROOT}/api/v1/monitoring/files/${encodeURIComponent(name)}`;
}
