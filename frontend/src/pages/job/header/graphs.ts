/** Addresses of a job's graphs, over the time that it ran. */
import type { JobView } from "../../../api/types";

type Run = Pick<JobView, "id" | "created_at" | "started_at" | "finished_at">;

const MARGIN_SECONDS = 30;
const LAST_HOUR = { "g0.range_input": "1h" };

/** Grafana's dashboard of one job; up to now while it runs. */
export function grafanaLink(url: string, job: Run): string {
  const to = job.finished_at === null ? "now" : String((seconds(job.finished_at) + MARGIN_SECONDS) * 1000);
  const query = { "var-job_id": String(job.id), from: String((begin(job) - MARGIN_SECONDS) * 1000), to };
  return `${url}/d/ringscope-job?${new URLSearchParams(query)}`;
}

/** Prometheus' own page with the job's bus bandwidth; the last hour while it runs. */
export function prometheusLink(url: string, job: Run): string {
  const query = { "g0.expr": busBandwidthQuery(job.id), "g0.tab": "0", ...(job.finished_at === null ? LAST_HOUR : range(job, job.finished_at)) };
  return `${url}/graph?${new URLSearchParams(query)}`;
}

/** PromQL of a job's bus bandwidth in bytes per second, one series for each collective; a ratio of two counters. */
export function busBandwidthQuery(jobId: number): string {
  return `sum by (op) (${rate("bus_bytes", jobId)}) / sum by (op) (${rate("seconds", jobId)})`;
}

function range(job: Run, finishedAt: string): Record<string, string> {
  const end = seconds(finishedAt) + MARGIN_SECONDS;
  return {
    "g0.range_input": `${Math.ceil(end - begin(job) + MARGIN_SECONDS)}s`,
    "g0.end_input": new Date(end * 1000).toISOString().slice(0, 19).replace("T", " "),
  };
}

function rate(what: string, jobId: number): string {
  return `rate(ringscope_rank_collective_${what}_total{job_id="${jobId}"}[10s])`;
}

function begin(job: Run): number {
  return seconds(job.started_at ?? job.created_at);
}

function seconds(time: string): number {
  return Date.parse(time) / 1000;
}
