/** How busy a node was over the last day, beside the jobs that ran there. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { JobView, NodeHistoryView, NodeView } from "../../api/types";
import { ChartPanel } from "../../components/ChartPanel";
import { EmptyState } from "../../components/states/EmptyState";
import { Loaded } from "../../components/states/Loaded";
import { jobsQuery } from "../../data/jobs";
import { nodeHistoryQuery } from "../../data/nodes";
import { formatDateTime, formatDuration, plural, threeDigits } from "../../lib/format";
import { JOB_STATES, jobName } from "../../lib/state";
import { byHour, columnsOf, HOURS, jobBars } from "./history";
import classes from "./NodeLoad.module.css";

const LOAD = [{ name: "load average", colour: "--job-0" }];
const NETWORK = [{ name: "network", colour: "--job-2" }];

export function NodeLoad({ node }: { node: NodeView }) {
  const history = useQuery(nodeHistoryQuery(node.name));
  const jobs = useInfiniteQuery(jobsQuery({ node: node.name })).data?.pages[0]?.items;
  return (
    <section className={`card ${classes.load}`} aria-labelledby="load">
      <div className="card-head">
        <h2 id="load">Last 24 hours</h2>
      </div>
      <Loaded query={history} what="The load could not be loaded" rows={8} isBare>
        {(found) =>
          found.minute.length > 0 ? (
            <Charts history={found} node={node} jobs={jobs ?? []} />
          ) : (
            <EmptyState title="No load is known yet">
              <p>The server stores the node&rsquo;s load once a minute while its agent is connected.</p>
            </EmptyState>
          )
        }
      </Loaded>
    </section>
  );
}

function Charts({ history, node, jobs }: { history: NodeHistoryView; node: NodeView; jobs: readonly JobView[] }) {
  const load = useMemo(() => columnsOf(history, history.load_average), [history]);
  const network = useMemo(() => columnsOf(history, history.network_bytes_per_second.map((rate) => rate && rate / 1e6)), [history]);
  const shared = {
    xLabel: "hours before now",
    xRange: [-HOURS, 0] as const,
    sync: `node ${node.name}`,
    place: (x: number) => `at ${formatDateTime(new Date(Date.parse(history.until) + x * 3_600_000).toISOString())}`,
  };
  return (
    <div className={classes.charts}>
      <ChartPanel {...shared} title="Load" yLabel="processes" lines={LOAD} columns={load} format={threeDigits}>
        Processes that ran or waited for one of {plural(node.inventory.cores, "core")}, the mean of each minute.
      </ChartPanel>
      <Jobs jobs={jobs} node={node.name} untilMs={Date.parse(history.until)} />
      <ChartPanel {...shared} title="Network" yLabel="MB/s" lines={NETWORK} columns={network} format={(value) => (value > 0 && value < 0.01 ? "under 0.01 MB/s" : `${threeDigits(value)} MB/s`)}>
        Bytes that all network cards sent and received. Ranks on one node exchange their data through memory.
      </ChartPanel>
      <Hours history={history} />
    </div>
  );
}

const LANE_PX = 18;

/** The jobs as bars on the axis of the charts. */
function Jobs({ jobs, node, untilMs }: { jobs: readonly JobView[]; node: string; untilMs: number }) {
  const bars = jobBars(jobs, node, untilMs);
  const lanes = Math.max(1, ...bars.map(({ lane }) => lane + 1));
  return (
    <div>
      <h3 className={classes.title}>Jobs</h3>
      <ul className={classes.jobs} style={{ height: lanes * LANE_PX }} aria-label="Jobs that ran here in the last 24 hours">
        {bars.map(({ job, lane, left, width }) => {
          const look = JOB_STATES[job.state];
          const words = `Job ${job.id}, ${jobName(job)}: ${look.text}, ${formatDuration(width * HOURS * 3600)}`;
          return (
            // Bars are too narrow to press; the table of the node's jobs has the links.
            <li
              key={`${job.id} ${left}`}
              style={{ left: `${100 * left}%`, width: `${100 * width}%`, top: lane * LANE_PX }}
              className={classes.bar}
              data-tone={look.tone}
              title={words}
            >
              <span className="hidden-visually">{words}</span>
            </li>
          );
        })}
      </ul>
      {bars.length === 0 && <p className="dim">No job ran here.</p>}
    </div>
  );
}

/** The same numbers by the hour; drawn only when opened. */
function Hours({ history }: { history: NodeHistoryView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.table} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <table>
          <thead>
            <tr>
              <th scope="col">Hour from</th>
              <th scope="col" className="number">Highest load</th>
              <th scope="col" className="number">Network, mean (MB/s)</th>
            </tr>
          </thead>
          <tbody>
            {byHour(history).map(({ time, load, networkBytesPerSecond: rate }) => (
              <tr key={time}>
                <td>{formatDateTime(time)}</td>
                <td className="number">{load === null ? "–" : threeDigits(load)}</td>
                <td className="number">{rate === null ? "–" : threeDigits(rate / 1e6)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
