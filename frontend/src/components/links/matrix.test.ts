import { describe, expect, it } from "vitest";
import type { LinkView } from "../../api/types";
import { aNode } from "../../testing/fixtures";
import { isSlow, matrix, rateOf } from "./matrix";

const link = (a: string, b: string, busbw: number, change: Partial<LinkView> = {}): LinkView => ({
  nodes: [a, b],
  busbw_gb_per_s: busbw,
  size_bytes: 8,
  is_unstable: false,
  ways: [],
  rails: [],
  both_ways: true,
  algorithm: "mpi",
  transport: "mpi",
  job_id: 1,
  measured_at: "2026-01-01T00:00:00Z",
  ...change,
});

describe("matrix", () => {
  const nodes = ["n10", "n2", "n1"].map((name) => aNode({ name }));
  const found = matrix(nodes, [link("n1", "n10", 2), link("n1", "n2", 5), link("n1", "gone", 9)]);

  it("is the same both ways, and leaves out nodes that are gone", () => {
    expect(found.names).toEqual(["n1", "n2", "n10"]);
    expect(found.at("n10", "n1")?.busbw_gb_per_s).toBe(2);
    expect(found.at("n2", "n10")).toBeNull();
    expect([found.least, found.most, found.measured, found.pairs]).toEqual([2, 5, 2, 3]);
  });

  it("of very many nodes has only measured ones, the slowest first", () => {
    const many = Array.from({ length: 256 }, (_, i) => aNode({ id: i, name: `n${i}` }));
    const few = matrix(many, [link("n1", "n2", 9), link("n4", "n3", 2), link("n1", "n3", 5), link("n3", "gone", 1)]);
    expect(few.names).toEqual(["n4", "n3", "n1", "n2"]);
    expect(few).toMatchObject({ total: 256, measured: 3, pairs: 32_640 });
    const all = matrix(many, many.slice(1).map(({ name }, i) => link("n0", name, 1000 - i)));
    expect([all.names.length, all.names.slice(0, 3)]).toEqual([64, ["n0", "n255", "n254"]]);
  });

  it("sorts by rack, and says where each begins", () => {
    const racked = [aNode({ name: "n1", rack: "west" }), aNode({ name: "n2", rack: "east" }), aNode({ name: "n3", rack: "west" }), aNode({ name: "n4" })];
    const sorted = matrix(racked, []);
    expect(sorted.names).toEqual(["n4", "n2", "n1", "n3"]);
    expect([...sorted.racks]).toEqual([["n4", "no rack"], ["n2", "east"], ["n1", "west"]]);
    expect(found.racks.size).toBe(0);
  });

  it("of nothing has no largest value", () => expect(matrix([], [])).toMatchObject({ most: 0, least: 0, measured: 0, pairs: 0 }));
});

it("has the rate of each direction, and calls one slow whose whole interval is low", () => {
  const way = (source: string, destination: string, low: number, high: number) => ({ source, destination, low_gb_per_s: low, high_gb_per_s: high, messages: 9 });
  const measured = link("a", "b", 1, { ways: [way("a", "b", 0.8, 1), way("b", "a", 0.8, 0.88)] });
  expect(rateOf(measured, "a")).toEqual({ middle: 0.9, low: 0.8, high: 1 });
  expect(["a", "b"].map((source) => isSlow(rateOf(measured, source), { median: 1 }))).toEqual([false, true]);
  expect(rateOf(link("a", "b", 3), "b").middle).toBe(3);
});

it("compares a direction with the others only where there are several", () => {
  const nodes = ["n1", "n2", "n3"].map((name) => aNode({ name }));
  const pairs = [link("n1", "n2", 3), link("n1", "n3", 3), link("n2", "n3", 1)];
  expect(matrix(nodes, pairs.slice(0, 1)).median).toBeNull();
  expect(isSlow({ high: 1 }, { median: null })).toBe(false);
  expect(matrix(nodes, pairs).median).toBe(3);
});
