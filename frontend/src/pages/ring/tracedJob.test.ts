import { describe, expect, it } from "vitest";
import type { TracedOperation } from "../../api/types";
import { submitCommand } from "../../lib/command";
import { aJob, aTraining } from "../../testing/fixtures";
import { jobTraceCommand, tracedSpec, whyNoTrace } from "./tracedJob";

const { spec } = aJob();
const FOLLOWABLE = ["ring", "direct", "tree"];

describe("the same sweep with a trace", () => {
  it("asks for it, and leaves out what has no schedule to follow", () => {
    const command = submitCommand(tracedSpec(spec, FOLLOWABLE));
    expect(command).toBe("ringscope submit --name sweep --ranks 4 --algorithm ring -b 8 -e 64M -f 2 -n 20 -w 5 -c 1 -d float32 --trace");
  });

  it("takes an algorithm that can be followed where the job has none, and keeps auto", () => {
    const of = (algorithms: typeof spec.benchmark.algorithms) =>
      tracedSpec({ ...spec, benchmark: { ...spec.benchmark, algorithms } }, FOLLOWABLE).benchmark.algorithms;
    expect([of(["mpi"]), of(["auto", "mpi"])]).toEqual([["ring"], ["auto"]]);
  });

  it("asks for what the server takes: 64 ranks, and no transport of the GPU's own", () => {
    const large = { ...spec, benchmark: { ...spec.benchmark, transport: "nccl" as const }, placement: { ...spec.placement, ranks: 128 } };
    const traced = tracedSpec(large, FOLLOWABLE);
    expect([traced.benchmark.transport, traced.placement.ranks]).toEqual(["auto", 64]);
  });
});

describe("why there is no trace", () => {
  const followed = { ...spec, benchmark: { ...spec.benchmark, trace: true } };

  it("says what kind of job it takes, and that this one did not ask", () => {
    expect(whyNoTrace(aTraining()).sentence).toContain("Only benchmarks");
    expect(whyNoTrace(aJob()).sentence).toContain("did not ask for a trace");
  });

  it("distinguishes a trace that will come from one that will not", () => {
    expect(whyNoTrace(aJob({ spec: followed, state: "running" }))).toMatchObject({ title: "No trace yet", comes: true });
    expect(whyNoTrace(aJob({ spec: followed, state: "failed" }))).toMatchObject({ comes: false });
    expect(whyNoTrace(aJob({ spec: followed, state: "failed" })).sentence).toContain("ringscope why 1");
  });
});

it("is the command that shows the same in a terminal", () => {
  const operation = { algorithm: "ring", size_bytes: 16384, in_place: true } as TracedOperation;
  expect(jobTraceCommand(7, operation)).toBe("ringscope trace ring --job 7 --size 16384 --in-place 1");
});
