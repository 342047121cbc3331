import { describe, expect, it } from "vitest";
import type { Collective } from "../../api/types";
import { busFactorInWords, callInWords, caption, definitions, rowTimeInWords, sizeInWords, timedIterations, uncheckedInWords } from "./caption";
import { busFactor, COLLECTIVES, whatARankSends } from "../collectives";
import { aJob, aSimulation } from "../../testing/fixtures";
import { aRow } from "../../testing/resultFixtures";

const { spec } = aJob();
const of = (collective: Collective, root = 0) => ({ ...spec, benchmark: { ...spec.benchmark, collective, root } });

describe("a call in words", () => {
  it.each([
    [of("all_reduce"), true, false, "an all-reduce (sum of float32) over 4 ranks"],
    [of("all_gather"), false, false, "an all-gather of float32 over 4 ranks"],
    [of("broadcast", 2), false, true, "a broadcast of float32 from rank 2 over 4 ranks"],
    [aSimulation(), true, false, "an all-reduce (sum of float32) over 32 simulated ranks"],
    [of("reduce", 1), true, true, "a reduce (sum of float32) to rank 1 over 4 ranks"],
  ])("%#", (given, reduces, hasRoot, text) => expect(callInWords(given, reduces, hasRoot)).toBe(text));
});

describe("the bus factor", () => {
  it("is nccl-tests', by formula and by value", () => {
    const values = Object.values(COLLECTIVES).map(({ factor }) => busFactor(factor, 4));
    expect(values).toEqual([1.5, 0.75, 0.75, 1, 1, 0.75, 1]);
    expect(busFactorInWords(of("all_reduce"))).toBe("busbw = algbw × 2(n−1)/n = 1.50 × algbw for n = 4 ranks");
    expect(busFactorInWords(of("sendrecv"))).toBe("busbw = algbw for a send-receive");
  });

  it("is among the definitions only where bus bandwidth is shown", () => {
    expect(definitions(aJob(), "busbw", "mean")).toContain("2(n−1)/n");
    expect(definitions(aJob(), "time", "mean")).not.toContain("busbw");
  });

  it("is beside the iterations that were measured, not those that were asked for", () => {
    const cycles = [aRow({ iterations: 15 }), aRow({ iterations: 15, cycle: 1 })];
    expect(caption(aJob(), cycles, "busbw", "mean", true, false)).toContain("means of 30 iterations");
    const imported = { file: "nccl.log", line: 3, tool: "nccl-tests", rows: 2, flagged: 0, is_partial: false, sha256: "0" };
    expect(caption(aJob({ spec: { ...spec, imported } }), cycles, "busbw", "mean", true, false)).toContain("; points are what nccl-tests printed.");
    const about = definitions(aJob({ spec: { ...spec, imported } }), "busbw", "mean");
    expect(about).toContain("as nccl-tests printed them; it states no spread.");
    expect(about, "nobody knows how the other tool took them").not.toMatch(/mean is|slowest rank/);
    expect(timedIterations([aRow({ iterations: 5 }), aRow()], 20)).toBe("5 to 20 timed iterations");
    expect(timedIterations([], 20)).toBe("20 timed iterations");
  });

  it("stands beside the statistic that is shown", () => {
    expect(definitions(aJob(), "busbw", "mean")).toContain("The mean is over all ranks, as in nccl-tests");
    expect(definitions(aJob(), "busbw", "median")).toContain("the best values and the table below use the mean");
  });

  it.each(["busbw", "algbw", "time", "limit"] as const)("has at most 30 words: %s", (metric) => {
    for (const statistic of ["mean", "median"] as const) {
      expect(caption(aJob(), [aRow({ iterations: 5 }), aRow()], metric, statistic, true, true).split(/\s+/).length).toBeLessThanOrEqual(30);
    }
  });
});

it("explains the count where ranks own parts", () => {
  expect(sizeInWords(of("all_reduce"))).toBe("Size is the buffer of each rank");
  expect(sizeInWords(of("alltoall"))).toContain("count is the elements of one of its n parts");
});

it("gives the reason for a missing check, the first that applies", () => {
  expect(uncheckedInWords(true, true, false)).toBe("");
  expect(uncheckedInWords(true, false, false)).toContain("in place");
  expect(uncheckedInWords(false, false, false)).toContain("off");
  expect(uncheckedInWords(true, true, true)).toContain("nothing was computed");
});

it("says what a rank sends, and names the library's call", () => {
  expect(whatARankSends("all_reduce", "ring")).toContain("2(n−1)/n");
  expect(whatARankSends("broadcast", "mpi")).toContain("MPI_Bcast");
  expect(whatARankSends("broadcast", "direct")).toBe("");
});

describe("the time of a row in words", () => {
  it("names its algorithm", () => {
    expect(rowTimeInWords("mean")).toBe("mean of the timed iterations over all ranks");
    expect(rowTimeInWords("max")).toBe("mean of the timed iterations on the slowest rank");
  });
});
