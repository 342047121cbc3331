/** Stream events written into the query cache. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { mergeById, newerJob, upsertJob } from "../lib/merge";
import { type JobFilter, type SeenNode, seenNow } from "./queries";
import type { StreamEvent } from "./stream";
import type { JobPage, JobView, LogLine, MeasurementView, NodeView } from "./types";

interface Batch<T> {
  job_id: number;
  items: T[];
}

/** Applies one flush of events, oldest first. */
export function applyEvents(client: QueryClient, events: readonly StreamEvent[]): void {
  for (const { name, data } of events) {
    if (name === "job") applyJob(client, data as JobView);
    else if (name === "measurements") applyItems(client, "measurements", data as Batch<MeasurementView>);
    else if (name === "log") applyItems(client, "log", data as Batch<LogLine>);
    else if (name === "node") applyNode(client, data as NodeView);
    else if (name === "reset") void refetchAll(client);
  }
}

/** Everything on the page is asked for again. */
export function refetchAll(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "me" });
}

function applyJob(client: QueryClient, job: JobView): void {
  const before = client.getQueryData<JobView>(["job", job.id]);
  if (client.getQueryState(["job", job.id])) client.setQueryData(["job", job.id], newerJob(before, job));
  client.setQueryData<JobView[]>(["jobs", "recent"], (jobs) => jobs && upsertJob(jobs, job).slice(0, 30));
  for (const [key, data] of client.getQueriesData<InfiniteData<JobPage>>({ queryKey: ["jobs", "list"] })) {
    if (data) client.setQueryData(key, applyToPages(data, job, key[2] as JobFilter));
  }
  if (before?.state !== job.state) {
    void client.invalidateQueries({ queryKey: ["job", job.id, "events"] });
    void client.invalidateQueries({ queryKey: ["job", job.id, "environments"] });
    void client.invalidateQueries({ queryKey: ["cluster"] });
  }
}

/** Rows change in place. A new job enters at the top only of the unfiltered list: filters are the server's. */
function applyToPages(data: InfiniteData<JobPage>, job: JobView, filter: JobFilter): InfiniteData<JobPage> {
  const isUnfiltered = !filter.state && !filter.q;
  const isKnown = data.pages.some((page) => page.items.some((item) => item.id === job.id));
  const pages = data.pages.map((page, index) => {
    const takes = isKnown ? page.items.some((item) => item.id === job.id) : index === 0 && isUnfiltered;
    return takes ? { ...page, items: upsertJob(page.items, job) } : page;
  });
  return { ...data, pages };
}

function applyItems<T extends { id: number }>(client: QueryClient, part: string, batch: Batch<T>): void {
  const key = ["job", batch.job_id, part];
  // Kept even while the snapshot is on its way: it may have been read before these rows were written.
  if (client.getQueryState(key)) {
    client.setQueryData<T[]>(key, (current) => mergeById(current ?? [], batch.items));
  }
}

function applyNode(client: QueryClient, node: NodeView): void {
  const seen = seenNow(node);
  client.setQueryData<SeenNode[]>(["nodes"], (nodes) => {
    if (!nodes) return nodes;
    const isKnown = nodes.some((item) => item.id === node.id);
    const next = isKnown ? nodes.map((item) => (item.id === node.id ? seen : item)) : [...nodes, seen];
    return next.sort((a, b) => a.name.localeCompare(b.name));
  });
  void client.invalidateQueries({ queryKey: ["cluster"] });
}
