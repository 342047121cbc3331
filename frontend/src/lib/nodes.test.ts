import { describe, expect, it } from "vitest";
import type { LinkView } from "../api/types";
import { aNode } from "../testing/fixtures";
import { busyWords, freeSlots, gpuUse, labelChanges, matrix, sharedAddresses, slotUse, usualVersions, versionsOf } from "./nodes";

describe("versions", () => {
  const nodes = [
    aNode({ name: "a", versions: { python: "3.11.2", mpi: "4.2" } }),
    aNode({ name: "b", versions: { python: "3.11.2", mpi: "4.10" } }),
    aNode({ name: "c", versions: { python: "3.9.1" } }),
  ];
  const usual = usualVersions(nodes);

  it("are usual where most nodes have them, on a tie the higher one", () => {
    expect(Object.fromEntries(usual)).toEqual({ python: "3.11.2", mpi: "4.10" });
  });

  it("are shown with the version that most nodes have instead", () => {
    expect(nodes.map((node) => versionsOf(node, usual).flatMap((version) => version.usual ?? []))).toEqual([["4.10"], [], ["3.11.2"]]);
  });
});

it("counts the slots of nodes that can be reached, and those that a job would get", () => {
  const slot = { slot: 0, job_id: null, rank: null, quarantine: null };
  const node = aNode({
    slots_total: 2,
    slots_busy: 2,
    slots: [slot, { ...slot, slot: 1, job_id: 7, rank: 0 }, { ...slot, slot: 5, job_id: 7, rank: 1 }],
  });
  const unproven = aNode({ slots_total: 1, slots_busy: 0, slots: [{ ...slot, quarantine: "not proven free" }] });
  const nodes = [node, unproven, aNode({ ...node, observed: "lost" })];
  expect(slotUse(nodes)).toEqual({ busy: 2, total: 3, free: 1 });
  expect(slotUse([aNode({ ...node, desired: "drain" })]).free).toBe(0);
  expect([...nodes, aNode({ ...node, desired: "drain" })].map(freeSlots)).toEqual([1, 0, 0, 0]);
});

it("explains slots that are busy beyond those that a node has", () => {
  expect(busyWords(1, 4)).toBe("1 of 4 slots busy");
  expect(busyWords(4, 2)).toBe("4 of 2 slots busy (2 more than it has; they disappear when their jobs end)");
});

it("counts the GPUs of nodes that can be reached, and those with a rank", () => {
  const gpu = { index: 0, uuid: "", model: "H200", memory_bytes: 1 };
  const inventory = { ...aNode().inventory, gpus: [gpu, gpu] };
  const node = aNode({ inventory, slots_busy: 1 });
  const full = aNode({ inventory, slots_busy: 3 });
  expect(gpuUse([node, full, aNode({ ...node, observed: "lost" }), aNode({ slots_busy: 1 })])).toEqual({ busy: 3, total: 4 });
});

describe("matrix", () => {
  const link = (a: string, b: string, busbw: number): LinkView => ({
    nodes: [a, b],
    busbw_gb_per_s: busbw,
    size_bytes: 8,
    is_unstable: false,
    ways: [],
    both_ways: true,
    algorithm: "mpi",
    transport: "mpi",
    job_id: 1,
    measured_at: "2026-01-01T00:00:00Z",
  });
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
    expect([all.names.length, all.names.slice(0, 3)]).toEqual([32, ["n0", "n255", "n254"]]);
  });

  it("of nothing has no largest value", () => expect(matrix([], [])).toMatchObject({ most: 0, least: 0, measured: 0, pairs: 0 }));
});

describe("labelChanges", () => {
  it("sets and takes away", () => {
    expect(labelChanges(" rack=r1  zone- note=a=b ")).toEqual({ rack: "r1", zone: null, note: "a=b" });
  });
  it.each(["", "rack", "=x", "rack="])("refuses %j in a sentence", (text) => {
    expect(() => labelChanges(text)).toThrow(/^labels: .+\.$/);
  });
});

it("names the nodes that have one address, and takes loopback addresses of two machines for different ones", () => {
  const at = (name: string, address: string, hostname = "", observed: "ready" | "lost" = "ready") =>
    aNode({ name, address, observed, inventory: { ...aNode().inventory, hostname, only_here: hostname !== "" } });
  const sentence = "have the same address 10.0.0.9, so no job can use them together. Start each agent with its own --address.";
  expect(sharedAddresses([at("a", "10.0.0.9"), at("b", "10.0.0.9"), at("c", "10.0.0.8")])).toEqual([`a and b ${sentence}`]);
  expect(sharedAddresses([at("a", "10.0.0.9"), at("b", "10.0.0.9"), at("c", "10.0.0.9")])).toEqual([`a, b and c ${sentence}`]);
  expect(sharedAddresses([at("a", "127.0.0.1", "h1"), at("b", "127.0.0.1", "h2")])).toEqual([]);
  expect(sharedAddresses([at("old", "10.0.0.9", "", "lost"), at("new", "10.0.0.9")])).toEqual([]);
});
