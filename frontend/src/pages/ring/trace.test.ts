import { describe, expect, it } from "vitest";
import type { OperationTrace, TraceRow } from "../../api/types";
import { endsOf, runOfTrace } from "./trace";

function row(fields: Partial<TraceRow>): TraceRow {
  return {
    rank: 0,
    is_send: false,
    peer: 1,
    step: 0,
    phase: "reduce_scatter",
    chunks: [0],
    into: [0],
    reduce: false,
    bytes: 512,
    start_ns: 0,
    send_ns: 1000,
    recv_ns: 4000,
    reduce_ns: null,
    done_ns: 4000,
    work_ns: 3000,
    predicted_ns: 2500,
    ...fields,
  };
}

function trace(rows: TraceRow[], nodes = ["n1", "n1"]): OperationTrace {
  return {
    collective: "all_reduce",
    algorithm: "ring",
    chosen_algorithm: null,
    transport: "shared_memory",
    in_place: false,
    size_bytes: 1024,
    dtype: "float32",
    duration_ns: 9000,
    hops: [],
    slow_links: [],
    started_at: "2026-01-01T00:00:00Z",
    chunks: [
      { offset: 0, length: 128 },
      { offset: 128, length: 128 },
    ],
    ranks: nodes.map((node, rank) => ({
      rank,
      node,
      started_ns: rank * 100,
      ended_ns: 9000 + rank * 100,
      clock_offset_ns: 0,
      clock_error_ns: rank === 0 ? 300 : null,
      left_out: 0,
    })),
    steps: [],
    rows,
    prediction: null,
  };
}

describe("runOfTrace", () => {
  it("takes a pull in shared memory from the rank that made it", () => {
    const run = runOfTrace(trace([row({})]));
    expect([run.ranks, run.timeUs, run.chunks]).toEqual([2, 9.1, [[0, 128], [128, 128]]]);
    expect(run.steps).toHaveLength(1);
    expect(run.steps[0]).toEqual([
      {
        step: 0, phase: "reduce_scatter", src: 1, dst: 0, chunks: [0], intoChunks: [0], reduce: false, bytes: 512,
        waitUs: 0, startUs: 1, arrivedUs: 4, addingUs: 4, endUs: 4, errorUs: 0, values: null, predictedUs: 2.5,
      },
    ]);
  });

  it("shows reading and adding in one pass as one piece", () => {
    const [move] = runOfTrace(trace([row({ reduce: true, recv_ns: null, reduce_ns: 1000 })])).steps[0] ?? [];
    expect([move?.startUs, move?.arrivedUs, move?.addingUs, move?.endUs]).toEqual([1, 4, 4, 4]);
  });

  it("puts both ends of a message together", () => {
    const sent = row({ is_send: true, rank: 1, peer: 0, start_ns: 200, send_ns: 200, recv_ns: 900, done_ns: 900, reduce: true });
    const received = row({ send_ns: null, recv_ns: 5000, reduce_ns: 5500, done_ns: 7000, reduce: true });
    for (const rows of [[sent, received], [received, sent]]) {
      const run = runOfTrace(trace(rows));
      expect(run.steps).toHaveLength(1);
      const [move, ...others] = run.steps[0] ?? [];
      expect(others).toEqual([]);
      expect([move?.src, move?.dst, move?.waitUs]).toEqual([1, 0, null]);
      expect([move?.startUs, move?.arrivedUs, move?.addingUs, move?.endUs]).toEqual([0.2, 5, 5.5, 7]);
    }
  });

  it("keeps the messages of a step apart, and steps in their order", () => {
    const rows = [row({ step: 2 }), row({ step: 0 }), row({ step: 0, rank: 1, peer: 0 }), row({ step: 0, chunks: [1] })];
    expect(runOfTrace(trace(rows)).steps.map((moves) => moves.map((move) => [move.step, move.dst, move.chunks]))).toEqual([
      [[0, 0, [0]], [0, 1, [0]], [0, 0, [1]]],
      [[2, 0, [0]]],
    ]);
  });

  it("gives the possible error of the clocks of several nodes", () => {
    const rows = [row({}), row({ rank: 1, peer: 0 })];
    const errors = (nodes: string[]): (number | undefined)[] => (runOfTrace(trace(rows, nodes)).steps[0] ?? []).map((move) => move.errorUs);
    expect(errors(["n1", "n2"])).toEqual([0.3, 9]);
    expect(errors(["n1", "n1"])).toEqual([0, 0]);
  });

  it("has the model's times beside measured ones only", () => {
    const prediction = { duration_ns: 8000, parameters: "of the simulated cluster" };
    const of = (transport: string) => runOfTrace({ ...trace([row({})]), prediction, transport });
    expect([of("mpi").predictedUs, of("mpi").steps[0]?.[0]?.predictedUs]).toEqual([8, 2.5]);
    expect([of("simulated").predictedUs, of("simulated").steps[0]?.[0]?.predictedUs]).toEqual([null, null]);
  });

  it("survives an operation in which nothing moved", () => {
    expect(runOfTrace({ ...trace([], []), chunks: null })).toEqual({ ranks: 0, chunks: [], steps: [], timeUs: 0, predictedUs: null, held: null });
  });
});

it("gives sender and receiver, whichever of them reported it", () => {
  expect(endsOf(row({ is_send: true, rank: 3, peer: 4 }))).toEqual({ src: 3, dst: 4 });
  expect(endsOf(row({ rank: 3, peer: 4 }))).toEqual({ src: 4, dst: 3 });
});
