import { describe, expect, it } from "vitest";
import type { JobState, JobView } from "../../api/types";
import { toCsv } from "../../lib/csv";
import { aBest, aJob, aSimulation, aTraining } from "../../testing/fixtures";
import { anEvent, aRow } from "../../testing/resultFixtures";
import { accuracyOf, bestBusbw, heldUp, isBenchmark, isSimulated, jobTitle, outcome, workTitle } from "../../lib/state";
import { choices, sizeRows } from "./results/table";
import { byAttempt, stages, timelineItems } from "./now/timeline";

describe("sizeRows", () => {
  it("pairs out of place and in place by size, ascending, for one algorithm", () => {
    const rows = [
      aRow({ id: 1, size_bytes: 2048 }),
      aRow({ id: 2, size_bytes: 1024 }),
      aRow({ id: 3, size_bytes: 1024, in_place: true }),
      aRow({ id: 4, size_bytes: 1024, algorithm: "mpi" }),
    ];
    const ids = sizeRows(rows, "ring").map((row) => [row.sizeBytes, row.outOfPlace?.id ?? null, row.inPlace?.id ?? null]);
    expect(ids).toEqual([[1024, 2, 3], [2048, 1, null]]);
  });

  it("takes the latest row after a retry", () => {
    expect(sizeRows([aRow({ id: 1 }), aRow({ id: 7 })], "ring")[0]?.outOfPlace?.id).toBe(7);
  });
});

describe("choices", () => {
  const took = { algorithm: "auto", chosen_algorithm: "direct", chosen_because: "measured: direct 5 us." };

  it("lists what auto took for each row, and why", () => {
    const rows = [aRow({ id: 1, size_bytes: 8, ...took }), aRow({ id: 2, size_bytes: 8, ...took, in_place: true })];
    expect(choices(sizeRows(rows, "auto"))).toEqual([
      { id: 1, sizeBytes: 8, place: "out of place", algorithm: "direct", because: "measured: direct 5 us." },
      { id: 2, sizeBytes: 8, place: "in place", algorithm: "direct", because: "measured: direct 5 us." },
    ]);
  });

  it("has none for an algorithm that the job names", () => expect(choices(sizeRows([aRow()], "ring"))).toEqual([]));
});

describe("stages", () => {
  it("keeps the changes of state and times each until the next", () => {
    const events = [
      anEvent({ id: 1, after: "queued", time: "2026-01-01T00:00:00Z", actor: "ada" }),
      anEvent({ id: 2, action: "job.note" }),
      anEvent({ id: 3, after: "starting", time: "2026-01-01T00:00:02.500Z" }),
    ];
    expect(stages(events).map(({ state, seconds }) => [state, seconds])).toEqual([["queued", 2.5], ["starting", null]]);
  });
});

it("begins again with each attempt", () => {
  const states: JobState[] = ["held", "queued", "starting", "stopping", "queued", "starting", "running", "stopping", "succeeded"];
  const found = byAttempt(stages(states.map((after, id) => anEvent({ id, after }))));
  expect(found.map((one) => one.map(({ state }) => state))).toEqual([states.slice(0, 4), states.slice(4)]);
  expect(byAttempt([])).toEqual([[]]);
});

describe("the items of a timeline", () => {
  const of = (...states: JobState[]): string[] =>
    timelineItems(stages(states.map((after, id) => anEvent({ id, after })))).map(({ state, stage }) => (stage ? String(state) : `(${state ?? "end"})`));

  it("are as many through the whole life", () => {
    expect(of()).toEqual(["(queued)", "(starting)", "(running)", "(stopping)", "(end)"]);
    expect(of("queued", "starting")).toEqual(["queued", "starting", "(running)", "(stopping)", "(end)"]);
    expect(of("queued", "starting", "running", "stopping", "succeeded")).toEqual(["queued", "starting", "running", "stopping", "succeeded"]);
  });

  it("show what was left out", () => {
    expect(of("queued", "cancelled")).toEqual(["queued", "(starting)", "(running)", "(stopping)", "cancelled"]);
    expect(of("queued", "starting", "stopping")).toEqual(["queued", "starting", "(running)", "stopping", "(end)"]);
    expect(of("held", "cancelled")).toEqual(["held", "(queued)", "(starting)", "(running)", "(stopping)", "cancelled"]);
  });

  it("come again with another attempt", () => {
    const again = ["queued", "starting", "running", "stopping", "queued"] as const;
    expect(of(...again)).toEqual([...again, "(starting)", "(running)", "(stopping)", "(end)"]);
  });
});

it("writes CSV with quotes where needed", () => {
  expect(toCsv([{ a: 'x,"y"', b: null }, { a: "1", b: 2 }], ["a", "b"], { basis: "measured", caveats: "1, 2" })).toBe(
    'basis,caveats,a,b\r\nmeasured,"1, 2","x,""y""",\r\nmeasured,"1, 2",1,2\r\n',
  );
});

it("names a job and its best bandwidth", () => {
  expect(jobTitle(aJob({ name: "" }))).toBe("all-reduce sweep");
  const { spec } = aJob();
  const alltoall = { ...spec, benchmark: { ...spec.benchmark, collective: "alltoall" as const } };
  expect(jobTitle(aJob({ name: "", spec: alltoall }))).toBe("all-to-all sweep");
  expect(bestBusbw(aJob())).toBeNull();
  const best = [aBest()];
  expect(bestBusbw(aJob({ summary: { kind: "benchmark" as const, best, sizes: [], ranks: 4, cores: null, wrong: 0, winners: [], results: [], same_messages: [], verdict: "", explanation: "" } }))).toBe(2.5);
});

it("holds up as a best only what a succeeded job measured alone", () => {
  const row = (transport: string) => aBest({ transport });
  const of = (transport: string) => ({ kind: "benchmark" as const, best: [row(transport)], sizes: [], ranks: 4, cores: null, wrong: 0, winners: [], results: [], same_messages: [], verdict: "", explanation: "" });
  const job = aJob({ state: "succeeded", summary: of("mpi") });
  expect(heldUp(job)).toEqual(row("mpi"));
  const attempt = { number: 1, nodes: ["n1"], disturbed_by: "Other load took 20 %." } as JobView["attempts"][number];
  expect(heldUp({ ...job, attempts: [attempt] })).toBeNull();
  expect(heldUp({ ...job, state: "failed" })).toBeNull();
  expect(heldUp({ ...job, state: "running" })).toBeNull();
  expect(heldUp({ ...job, summary: of("simulated") })).toBeNull();
});

it("distinguishes simulated rows from measured ones", () => {
  expect(isSimulated(aJob(), [aRow()])).toBe(false);
  expect(isSimulated(aJob({ spec: aSimulation() }))).toBe(true);
  expect(isSimulated(aJob(), [aRow(), aRow({ transport: "simulated" })])).toBe(true);
});

describe("a training job", () => {
  const training = aTraining();
  const { summary } = training;

  it("has neither collective nor bandwidth", () => {
    expect(isBenchmark(training)).toBe(false);
    expect(jobTitle(training)).toBe("digits");
    expect(jobTitle(aTraining({ name: "" }))).toBe("mlp on digits");
    expect(bestBusbw(training)).toBeNull();
    expect(isSimulated(training)).toBe(false);
    expect(accuracyOf(training)).toBe(0.975);
    expect(accuracyOf(aJob())).toBeNull();
  });

  it("is what it works on where it has no name", () => {
    expect(workTitle(training)).toBe("mlp on digits");
    expect(workTitle(aJob())).toBe("all-reduce");
    const script = { ...training.spec, training: null, script: { file: "a/b.py", arguments: [], as_module: false, no_watch: false, device: "auto" as const } };
    expect(workTitle(aTraining({ spec: script }))).toBe("a/b.py");
  });

  it("says its figures, and that it diverged where the loss is no number", () => {
    expect(outcome(training)).toBe("Accuracy 97.5 %, loss 0.123, 12,346 samples/s");
    const diverged = { ...summary, loss: null, is_diverged: true } as JobView["summary"];
    expect(outcome(aTraining({ summary: diverged }))).toMatch(/, loss diverged, /);
    const silent = { ...summary, kind: "script", loss: null, validation_accuracy: null } as JobView["summary"];
    expect(outcome(aTraining({ summary: silent }))).toBe("12,346 samples/s");
    expect(outcome(aTraining({ summary: { ...summary, steps_done: 0 } as JobView["summary"] }))).toBe("");
  });
});
