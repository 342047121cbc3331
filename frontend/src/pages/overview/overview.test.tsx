// @vitest-environment jsdom
import { expect, it } from "vitest";
import type { BenchmarkJob, JobView } from "../../api/types";
import { activeJobsQuery, recentJobsQuery } from "../../data/jobs";
import { clusterQuery, nodesQuery, seenNow } from "../../data/nodes";
import { aJob, aNode, anAttempt } from "../../lib/fixtures";
import { Answers, drawn } from "../../testing/page";
import { JobBars } from "./JobBars";
import { OverviewPage } from "./OverviewPage";

it("tells what is wrong with a job that runs, however many newer ones there are", async () => {
  const insight = { id: 5, attempt_id: 1, kind: "hang", rank: 2, node: "n1", message: "No rank moves.", since: "2026-01-01T00:00:00Z", until: null } as const;
  const hanging = aJob({ id: 3, insights: [insight] });
  const newer = Array.from({ length: 30 }, (_, i) => aJob({ id: 40 - i, state: "succeeded" }));
  const answers = new Answers()
    .of(clusterQuery, { nodes_ready: 1, nodes_total: 1, slots_total: 1, slots_busy: 1, jobs_running: 1, jobs_queued: 0, jobs_finished: 30 } as never)
    .of(nodesQuery, [seenNow(aNode())])
    .of(recentJobsQuery, newer)
    .of(activeJobsQuery, [hanging]);
  const page = await drawn(<OverviewPage />, "/", answers);
  expect(page.querySelector("[aria-labelledby=alerts]")?.textContent).toContain("job 3: No rank moves.");
});

/** The height of the bar of each job, from the oldest on, and what is told on hover; undefined: there is no bar. */
async function bars(jobs: JobView[]): Promise<{ heights: (string | undefined)[]; titles: (string | null)[]; caption: string }> {
  const figure = await drawn(<JobBars jobs={jobs} />, "/");
  const links = [...figure.querySelectorAll("a")];
  return {
    heights: links.map((link) => link.querySelector<HTMLElement>("[style]")?.style.height),
    titles: links.map((link) => link.getAttribute("title")),
    caption: figure.querySelector("figcaption")?.textContent ?? "",
  };
}

function measured(id: number, busbw: number, change: Partial<BenchmarkJob> = {}): JobView {
  const best = [{ algorithm: "ring", transport: "mpi", size_bytes: 1024, in_place: false, busbw_gb_per_s: busbw, is_unstable: false }];
  const { summary } = aJob();
  return aJob({ id, state: "succeeded", summary: { ...summary, best }, ...change });
}

it("has no bar for a job without a value, and only what holds up sets the heights", async () => {
  const disturbed = [anAttempt({ disturbed_by: "Job 9 ran there." })];
  const { heights, titles, caption } = await bars([
    aJob({ id: 6, state: "queued" }),
    measured(5, 100, { state: "running" }),
    measured(4, 90, { state: "failed" }),
    measured(3, 80, { attempts: disturbed }),
    measured(2, 20),
    measured(1, 10),
  ]);
  expect(heights).toEqual(["50%", "100%", undefined, undefined, undefined, undefined]);
  expect(caption).toContain("the tallest is 20.0 GB/s");
  expect(titles[2]).toContain("80.0 GB/s\ndisturbed: Job 9 ran there.");
});
