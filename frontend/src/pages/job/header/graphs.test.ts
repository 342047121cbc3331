import { describe, expect, it } from "vitest";
import { grafanaLink, prometheusLink } from "./graphs";

const JOB = {
  id: 12,
  created_at: "2026-11-21T09:59:00Z",
  started_at: "2026-11-21T10:00:00Z",
  finished_at: "2026-11-21T10:01:40Z",
};
const STARTED = Date.parse(JOB.started_at);

describe("grafanaLink", () => {
  it("covers the run with half a minute on both sides", () => {
    const link = new URL(grafanaLink("http://g:3000/grafana", JOB));
    expect(link.pathname).toBe("/grafana/d/ringscope-job");
    expect(Object.fromEntries(link.searchParams)).toEqual({
      "var-job_id": "12",
      from: String(STARTED - 30_000),
      to: String(STARTED + 130_000),
    });
  });

  it("goes up to now while the job runs, and begins with the job where it has not started", () => {
    const link = new URL(grafanaLink("http://g:3000", { ...JOB, started_at: null, finished_at: null }));
    expect(link.searchParams.get("to")).toBe("now");
    expect(link.searchParams.get("from")).toBe(String(STARTED - 90_000));
  });
});

describe("prometheusLink", () => {
  it("asks for the job's bus bandwidth over its run", () => {
    const { pathname, searchParams } = new URL(prometheusLink("http://p:9090", JOB));
    expect(pathname).toBe("/graph");
    expect(searchParams.get("g0.expr")).toContain('ringscope_rank_collective_bus_bytes_total{job_id="12"}[10s]');
    expect(searchParams.get("g0.range_input")).toBe("160s");
    expect(searchParams.get("g0.end_input")).toBe("2026-11-21 10:02:10");
  });

  it("shows the last hour while the job runs", () => {
    const { searchParams } = new URL(prometheusLink("http://p:9090", { ...JOB, finished_at: null }));
    expect(searchParams.get("g0.range_input")).toBe("1h");
    expect(searchParams.has("g0.end_input")).toBe(false);
  });
});
