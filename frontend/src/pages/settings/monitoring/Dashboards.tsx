import type { MonitoringFile } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { fileUrl } from "./files";
import classes from "../Settings.module.css";

interface Props {
  dashboards: readonly MonitoringFile[];
  /** The address of Grafana; null: the server does not know it. */
  url: string | null;
}

/** Grafana's dashboards to download, and the link to one's own Grafana. */
export function Dashboards({ dashboards, url }: Props) {
  return (
    <section className="card" aria-labelledby="grafana">
      <div className="card-head">
        <h2 id="grafana">Grafana</h2>
        {url && <a className="spread" href={url}>Open Grafana</a>}
      </div>
      <div className={`card-body ${classes.detail}`}>
        <p>In Grafana, choose Dashboards, New, Import, and then one of these files.</p>
        <ScrollX label="Dashboards, one row each">
          <table className={classes.stacked}>
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col">Content</th>
              </tr>
            </thead>
            <tbody>
              {dashboards.map(({ name, description }) => (
                <tr key={name}>
                  <th scope="row" className={classes.nowrap}>
                    <a href={fileUrl(name)} download={name}>{name}</a>
                  </th>
                  <td className={classes.wide}>{description}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
        {!url && (
          <p className="dim">
            The pages of jobs link to your Grafana if you start the server with <code>--grafana-url URL</code>.
          </p>
        )}
      </div>
    </section>
  );
}
