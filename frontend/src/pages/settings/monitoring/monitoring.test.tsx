// @vitest-environment jsdom
import { expect, it } from "vitest";
import { graphsQuery, meQuery } from "../../../data/server";
import { monitoringFilesQuery, scrapeConfigurationQuery } from "../../../data/settings";
import { Answers, drawn } from "../../../testing/page";
import { MonitoringPage } from "./MonitoringPage";

const FILES = [
  { name: "prometheus.yml", kind: "configuration", description: "Scrapes this server." },
  { name: "jobs.yml", kind: "rules", description: "Jobs and their ranks." },
  { name: "ringscope-job.json", kind: "dashboard", description: "Ringscope job: bandwidth." },
] as const;

async function page(role: string, grafana: string | null): Promise<HTMLElement> {
  const answers = new Answers()
    .of(monitoringFilesQuery, [...FILES])
    .of(scrapeConfigurationQuery, "scrape_configs: []")
    .of(graphsQuery, { grafana_url: grafana, prometheus_url: null })
    .of(meQuery, { role } as never);
  return drawn(<MonitoringPage />, "/settings/monitoring", answers);
}

it("offers each file for download, and a token to an administrator only", async () => {
  const admin = await page("admin", null);
  const links = [...admin.querySelectorAll<HTMLAnchorElement>("a[download]")].map((link) => link.getAttribute("href"));
  expect(links).toEqual(FILES.map(({ name }) => `/api/v1/monitoring/files/${name}`));
  expect(admin.textContent).toContain("Make token");
  expect(admin.textContent).toContain("scrape_configs: []");
});

it("says how to link one's own Grafana, or links to it", async () => {
  const without = await page("viewer", null);
  expect(without.textContent).toContain("link to your Grafana if you start the server with --grafana-url URL.");
  expect(without.textContent).not.toContain("Make token");
  const linked = await page("viewer", "https://grafana.example.org");
  expect(linked.querySelector("a[href='https://grafana.example.org']")?.textContent).toBe("Open Grafana");
});
