// @vitest-environment jsdom
import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../api/client";
import { aJob, aTraining } from "../testing/fixtures";
import { aBlock, aRow, someSteps } from "../testing/resultFixtures";
import { applyEvents, refetchAll } from "./deltas";
import { jobsQuery } from "./jobs";
import type { JobView, MeasurementView, NewestSteps } from "../api/types";

const key = ["job", 1, "measurements", 1];
let client: QueryClient;

beforeEach(() => {
  client = new QueryClient();
});

function rows(...ids: number[]) {
  return { name: "measurements", data: { job_id: 1, items: ids.map((id) => aRow({ id })) } };
}

function ids(): number[] | undefined {
  return client.getQueryData<MeasurementView[]>(key)?.map((row) => row.id);
}

describe("measurements", () => {
  it("are added once, also when a delta repeats what the snapshot had", () => {
    client.setQueryData(key, [aRow({ id: 1 }), aRow({ id: 2 })]);
    applyEvents(client, [rows(2, 3), rows(3, 4)]);
    expect(ids()).toEqual([1, 2, 3, 4]);
  });

  it("are kept while the snapshot is on its way, and not lost to it", async () => {
    let arrive = (): void => undefined;
    const snapshot = new Promise<void>((resolve) => (arrive = resolve));
    const answer = client.fetchQuery({
      queryKey: key,
      queryFn: async ({ client: cache }) => {
        await snapshot;
        return [aRow({ id: 1 }), ...(cache.getQueryData<MeasurementView[]>(key) ?? [])];
      },
    });
    applyEvents(client, [rows(2)]);
    arrive();
    await answer;
    expect(ids()).toEqual([1, 2]);
  });

  it("of a job that no page asked for are dropped", () => {
    applyEvents(client, [rows(1)]);
    expect(ids()).toBeUndefined();
  });
});

describe("steps", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.runAllTimers();
    vi.useRealTimers();
  });

  const steps = ["job", 1, "newest steps"];
  const stepsEvent = (lastStep: number, attempt = 1) => ({
    name: "steps",
    data: { job_id: 1, newest: someSteps([aBlock({ last_step: lastStep })], { attempt_id: attempt }) },
  });
  const shown = (): number | undefined => client.getQueryData<NewestSteps>(steps)?.items[0]?.last_step;

  it("replace those before, and never go backwards within an attempt", () => {
    client.setQueryData(steps, someSteps([]));
    applyEvents(client, [stepsEvent(9), stepsEvent(5)]);
    expect(shown()).toBe(9);
    applyEvents(client, [stepsEvent(2, 2), stepsEvent(30)]);
    expect(shown()).toBe(2);
  });

  it("of a job that no page asked for are dropped", () => {
    applyEvents(client, [stepsEvent(1)]);
    expect(shown()).toBeUndefined();
  });

  it("that were missed are requested", () => {
    client.setQueryData(steps, someSteps([]));
    applyEvents(client, [{ name: "steps", data: { job_id: 1, newest: null } }]);
    expect(client.getQueryState(steps)?.isInvalidated).toBe(true);
  });

  it("have the curve of training asked for again, once for all that come until then", () => {
    const asked = vi.spyOn(client, "invalidateQueries");
    const curves = (): number => asked.mock.calls.filter(([filter]) => filter?.queryKey?.[2] === "curve").length;
    applyEvents(client, [stepsEvent(1), stepsEvent(2), { name: "job", data: aTraining() }]);
    expect(curves()).toBe(0);
    vi.runAllTimers();
    expect(curves()).toBe(1);
  });
});

describe("the cluster's counts", () => {
  it("are asked for once, however many events come at a time", () => {
    vi.useFakeTimers();
    const asked = vi.spyOn(client, "invalidateQueries");
    const events = Array.from({ length: 100 }, (_, id) => ({ name: "job", data: aJob({ id }) }));
    const counts = (): number => asked.mock.calls.filter(([filter]) => filter?.queryKey?.[0] === "cluster").length;
    applyEvents(client, events);
    expect(counts()).toBe(0);
    vi.runAllTimers();
    expect(counts()).toBe(1);
    applyEvents(client, events.slice(0, 1));
    vi.runAllTimers();
    expect(counts()).toBe(2);
    vi.useRealTimers();
  });
});

it("asks again when the job of an open form would start, once for all jobs that changed", () => {
  vi.useFakeTimers();
  const asked = vi.spyOn(client, "invalidateQueries");
  const checks = (): number => asked.mock.calls.filter(([filter]) => filter?.queryKey?.[1] === "check").length;
  applyEvents(client, [1, 2].map((id) => ({ name: "job", data: aJob({ id, state: "starting" }) })));
  expect(checks()).toBe(0);
  vi.runAllTimers();
  expect(checks()).toBe(1);
  vi.useRealTimers();
});

describe("jobs", () => {
  it("change on their page and in every list, and enter none that shows others already", () => {
    const page = (jobs: JobView[]) => ({ pages: [{ items: jobs, next: null }], pageParams: [null] });
    const list = (filter: object): number[] | undefined =>
      client
        .getQueryData<ReturnType<typeof page>>(["jobs", "list", filter])
        ?.pages.flatMap((item) => item.items.map((job) => job.id));
    client.setQueryData(["job", 2], aJob({ id: 2 }));
    client.setQueryData(["jobs", "recent"], [aJob({ id: 1 })]);
    client.setQueryData(["jobs", "list", {}], page([aJob({ id: 1 })]));
    client.setQueryData(["jobs", "list", { q: "sweep" }], page([]));
    client.setQueryData(["jobs", "list", { q: "x" }], page([]));
    applyEvents(client, [{ name: "job", data: aJob({ id: 2, state: "succeeded" }) }]);
    expect(client.getQueryData<JobView>(["job", 2])?.state).toBe("succeeded");
    expect(client.getQueryData<JobView[]>(["jobs", "recent"])?.map((job) => job.id)).toEqual([2, 1]);
    expect(list({})).toEqual([1]);
    expect(list({ q: "sweep" })).toEqual([2]);
    expect(list({ q: "x" })).toEqual([]);
    expect(client.getQueryData<JobView[]>(["jobs", "arrived"])?.map((job) => job.id)).toEqual([2]);
  });
});

describe("all that is asked for again", () => {
  const key = ["jobs", "list", {}, undefined];

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("changes the rows of a list in place, and offers what is new beside it", async () => {
    const listed = [aJob({ id: 4 }), aJob({ id: 3, state: "succeeded" }), aJob({ id: 2 })];
    const ended = aJob({ id: 1, state: "failed" });
    vi.spyOn(api, "GET").mockImplementation(((path: string) =>
      Promise.resolve({ data: path.endsWith("{job_id}") ? ended : { items: listed, next: "more" }, response: new Response() })) as never);
    client.setQueryData(key, { pages: [{ items: [3, 2, 1].map((id) => aJob({ id })), next: null }], pageParams: [null] });
    const stop = new InfiniteQueryObserver(client, { ...jobsQuery({}), staleTime: Infinity }).subscribe(() => undefined);
    await refetchAll(client);
    const rows = client.getQueryData<{ pages: { items: JobView[] }[] }>(key)?.pages.flatMap(({ items }) => items);
    expect(rows?.map(({ id, state }) => `${id} ${state}`)).toEqual(["3 succeeded", "2 running", "1 failed"]);
    expect(client.getQueryData<JobView[]>(["jobs", "arrived"])?.map(({ id }) => id)).toEqual([4]);
    stop();
  });
});
