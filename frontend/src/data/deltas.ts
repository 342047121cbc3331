/** Stream events written into the query cache. */
import { hashKey, type InfiniteData, type Query, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { type JobFilter, matches, type Sort } from "../lib/search/jobFilter";
import { isBenchmark, isTerminal } from "../lib/state";
import { mergeById, newerJob, newerSteps, upsertJob, withActive, withChanged } from "./merge";
import { jobQuery } from "./job";
import { activeJobsQuery, arrivedQuery, askJobs, MOST_RECENT, recentJobsQuery } from "./jobs";
import { CHECKS_KEY, FILTER_PLACE, jobKey, jobsKey } from "./keys";
import { clusterQuery, nodesQuery, seenNow } from "./nodes";
import { meQuery } from "./server";
import { DRAWN_FROM_STEPS } from "./training";
import type { StreamEvent } from "./stream";
import type { JobPage, JobView, LogLine, MeasurementView, NewestSteps, NodeView } from "../api/types";

interface Batch<T> {
  job_id: number;
  items: T[];
}

interface Steps {
  job_id: number;
  /** null: some steps were stored while the stream had no listener for them. */
  newest: NewestSteps | null;
}

/** Applies one flush of events, oldest first. */
export function applyEvents(client: QueryClient, events: readonly StreamEvent[]): void {
  for (const { name, data } of events) {
    if (name === "job") applyJob(client, data as JobView);
    else if (name === "measurements") applyRows(client, data as Batch<MeasurementView>);
    else if (name === "steps") applySteps(client, data as Steps);
    else if (name === "log") lengthen(client, (data as Batch<LogLine>).job_id);
    else if (name === "node") applyNode(client, data as NodeView);
    else if (name === "reset") void refetchAll(client);
  }
}

/** Asks for everything on the page again. In a list of jobs the rows keep their positions, as they do with deltas. */
export async function refetchAll(client: QueryClient): Promise<void> {
  const lists = client.getQueryCache().findAll({ queryKey: jobsKey("list"), type: "active", predicate: hasRows });
  const spared = new Set([meQuery.queryKey, arrivedQuery.queryKey, ...lists.map(({ queryKey }) => queryKey)].map(hashKey));
  await Promise.all([
    client.invalidateQueries({ predicate: ({ queryHash }) => !spared.has(queryHash) }),
    // Without an answer the rows stay as they are until the next request.
    ...lists.map(({ queryKey }) => lookAgain(client, queryKey).catch(() => undefined)),
  ]);
}

function hasRows({ state }: Query): boolean {
  return rowsOf(state.data as InfiniteData<JobPage> | undefined).length > 0;
}

function rowsOf(list: InfiniteData<JobPage> | undefined): JobView[] {
  return list?.pages.flatMap((page) => page.items) ?? [];
}

/** Loads the rows of a list again; jobs that the list lacks are offered as new ones. */
async function lookAgain(client: QueryClient, key: QueryKey): Promise<void> {
  const [filter, sort] = key.slice(FILTER_PLACE) as [JobFilter, Sort?];
  const rows = rowsOf(client.getQueryData(key));
  const found: JobView[] = [];
  let cursor: string | null = null;
  do {
    const page: JobPage = await askJobs(filter, sort, cursor);
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== null && found.length < rows.length);
  // Jobs that no longer match, or that new ones have pushed out of reach, and that may have changed.
  const others = rows.filter((row) => mayChange(row) && !found.some(({ id }) => id === row.id));
  found.push(...(await Promise.all(others.map(({ id }) => client.fetchQuery(jobQuery(id))))));
  for (const job of found) {
    client.setQueryData<InfiniteData<JobPage>>(key, (list) => list && applyToPages(list, job, filter));
    if (!rows.some(({ id }) => id === job.id)) arrive(client, job);
  }
}

/** Whether the job has not ended, or has ended and its judgement is still to come. */
function mayChange({ state, kind, judgement }: JobView): boolean {
  const isJudged = kind === "benchmark" || kind === "imported";
  return !isTerminal(state) || (state === "succeeded" && isJudged && !judgement);
}

function arrive(client: QueryClient, job: JobView): void {
  client.setQueryData(arrivedQuery.queryKey, (jobs = []) => withChanged(jobs, job).slice(0, MOST_ARRIVED));
}

const MOST_ARRIVED = 200;
const RECOUNT_MS = 300;
const REPLAN_MS = 3_000;
const recounting = new WeakSet<QueryClient>();
const replanning = new WeakSet<QueryClient>();

/** Asks for the cluster's counts again soon, once for all changes until then, and later when a form's job would start. */
function recount(client: QueryClient): void {
  soon(client, recounting, RECOUNT_MS, clusterQuery.queryKey);
  soon(client, replanning, REPLAN_MS, CHECKS_KEY);
}

function soon(client: QueryClient, waiting: WeakSet<QueryClient>, afterMs: number, queryKey: QueryKey): void {
  if (waiting.has(client)) return;
  waiting.add(client);
  setTimeout(() => {
    waiting.delete(client);
    void client.invalidateQueries({ queryKey });
  }, afterMs);
}

function applyJob(client: QueryClient, job: JobView): void {
  const { queryKey } = jobQuery(job.id);
  const before = client.getQueryData(queryKey);
  if (client.getQueryState(queryKey)) client.setQueryData(queryKey, newerJob(before, job));
  client.setQueryData(recentJobsQuery.queryKey, (jobs) => jobs && upsertJob(jobs, job).slice(0, MOST_RECENT));
  client.setQueryData(activeJobsQuery.queryKey, (jobs) => jobs && withActive(jobs, job));
  for (const [key, data] of client.getQueriesData<InfiniteData<JobPage>>({ queryKey: jobsKey("list") })) {
    if (data) client.setQueryData(key, applyToPages(data, job, key[FILTER_PLACE] as JobFilter));
  }
  arrive(client, job);
  if (!isBenchmark(job)) redraw(client, job.id);
  if (before?.state !== job.state) {
    void client.invalidateQueries({ queryKey: jobKey(job.id, "events") });
    void client.invalidateQueries({ queryKey: jobKey(job.id, "environments") });
    recount(client);
  }
}

/** Rows change in place. Nothing moves under the pointer: a new job enters only an empty list. */
function applyToPages(data: InfiniteData<JobPage>, job: JobView, filter: JobFilter): InfiniteData<JobPage> {
  const isEmpty = data.pages.every((page) => page.items.length === 0);
  const pages = data.pages.map((page, index) => {
    const isKnown = page.items.some((item) => item.id === job.id);
    const takes = isKnown || (isEmpty && index === 0 && matches(job, filter));
    return takes ? { ...page, items: upsertJob(page.items, job) } : page;
  });
  return { ...data, pages };
}

function applyRows(client: QueryClient, { job_id: id, items }: Batch<MeasurementView>): void {
  // Kept even while the snapshot is loading: it may have been read before these rows were written.
  client.setQueriesData<MeasurementView[]>({ queryKey: jobKey(id, "measurements") }, (current) => mergeById(current ?? [], items));
}

function applySteps(client: QueryClient, { job_id: id, newest }: Steps): void {
  const key = jobKey(id, "newest steps");
  if (newest === null) void client.invalidateQueries({ queryKey: key });
  else if (client.getQueryState(key)) client.setQueryData<NewestSteps>(key, (current) => newerSteps(current, newest));
  redraw(client, id);
}

const REDRAW_MS = 3_000;
const redrawing = new Set<number>();

/** Asks soon again for what is drawn from the steps of training, once for all that come until then. */
function redraw(client: QueryClient, jobId: number): void {
  if (redrawing.has(jobId)) return;
  redrawing.add(jobId);
  setTimeout(() => {
    redrawing.delete(jobId);
    for (const part of DRAWN_FROM_STEPS) void client.invalidateQueries({ queryKey: jobKey(jobId, part) });
  }, REDRAW_MS);
}

const LENGTHEN_MS = 500;
const lengthening = new Set<number>();

/** Asks soon again for a log's outline, once for all lines until then; its pages follow from it. */
function lengthen(client: QueryClient, jobId: number): void {
  if (lengthening.has(jobId)) return;
  lengthening.add(jobId);
  setTimeout(() => {
    lengthening.delete(jobId);
    void client.invalidateQueries({ queryKey: jobKey(jobId, "log", "outline") });
  }, LENGTHEN_MS);
}

function applyNode(client: QueryClient, node: NodeView): void {
  const seen = seenNow(node);
  client.setQueryData(nodesQuery.queryKey, (nodes) => {
    if (!nodes) return nodes;
    const isKnown = nodes.some((item) => item.id === node.id);
    const next = isKnown ? nodes.map((item) => (item.id === node.id ? seen : item)) : [...nodes, seen];
    return next.sort((a, b) => a.name.localeCompare(b.name));
  });
  recount(client);
}
