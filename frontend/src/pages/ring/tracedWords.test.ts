import { describe, expect, it } from "vitest";
import type { OperationTrace } from "../../api/types";
import { besideModel, clockErrorNs, clocksInWords, durationNote, nodesInWords, traceCaption, traceNotes } from "./tracedWords";

function trace(nodes: readonly [string, number | null][], change: Partial<OperationTrace> = {}): OperationTrace {
  return {
    collective: "all_reduce", algorithm: "ring", chosen_algorithm: null, transport: "mpi", in_place: false, size_bytes: 1024, dtype: "float32",
    duration_ns: 200_000, started_at: "2026-01-01T00:00:00Z", chunks: [], steps: [], rows: [], hops: [], slow_links: [],
    prediction: { duration_ns: 160_000, parameters: "fitted to 8 rows of this job" },
    ranks: nodes.map(([node, clock_error_ns], rank) => ({ rank, node, started_ns: 0, ended_ns: 1, clock_offset_ns: 0, clock_error_ns, left_out: rank })),
    ...change,
  };
}

const ONE = trace([["n1", 5000], ["n1", null]]);
const TWO = trace([["n1", 5000], ["n2", 12_000]]);
const UNKNOWN = trace([["n1", 5000], ["n2", null]]);

describe("the clocks", () => {
  it("err only between nodes", () => expect([ONE, TWO, UNKNOWN].map(clockErrorNs)).toEqual([0, 12_000, null]));

  it("are described in words", () => {
    expect([ONE, TWO, UNKNOWN].map((each) => clocksInWords(each).value)).toEqual(["one clock", "±12 µs", "not known"]);
  });
});

it("says where the ranks were", () => {
  expect([nodesInWords(ONE), nodesInWords(TWO)]).toEqual(["on n1", "on 2 nodes: n1, n2"]);
});

it("holds the measured time against the model's", () => {
  const beside = (duration_ns: number): string => besideModel({ ...ONE, duration_ns });
  expect([beside(200_000), beside(80_000), beside(160_000), beside(400_000)]).toEqual([
    "25.0 % above the model", "50.0 % below the model", "as the model says", "2.5 times the model's",
  ]);
  expect(besideModel({ ...ONE, prediction: null })).toBe("the model has no price for it");
});

describe("the caption", () => {
  it("says what was measured, and on request with which model beside and what may err", () => {
    const whole = { ...TWO, ranks: TWO.ranks.map((rank) => ({ ...rank, left_out: 0 })) };
    expect(traceCaption(whole)).toBe("One operation as its ranks measured it.");
    expect(traceNotes(whole, false)).toBe(
      "It ran in addition to the timed iterations, which are not traced. Dashed: what the cost model says, " +
        "with parameters fitted to 8 rows of this job. Whiskers: the error of the nodes’ clocks; events that are closer have no order.",
    );
    expect(traceNotes({ ...ONE, prediction: null }, false)).not.toMatch(/Dashed|Whiskers/);
    expect(traceNotes(TWO, true)).toMatch(/Takes by the model: .* ± clocks: /);
    expect(traceCaption(TWO)).toContain("1 later transfer left out");
  });

  it("does not compare lanes whose clocks err by as much as they show", () => {
    for (const each of [UNKNOWN, { ...TWO, duration_ns: 12_000 }]) {
      expect(traceCaption(each)).toContain("lanes of different nodes cannot be compared");
      expect(traceNotes(each, false)).not.toContain("Whiskers");
    }
  });

  it("takes no simulation for a measurement", () => {
    const simulated = { ...ONE, transport: "simulated" };
    expect(traceCaption(simulated)).toContain("nothing was measured");
    expect(traceNotes(simulated, false)).toBe("");
    expect([durationNote(simulated), durationNote(ONE)]).toEqual(["of the cost model; nothing was measured", "n=1, the slowest rank; 25.0 % above the model"]);
  });
});
