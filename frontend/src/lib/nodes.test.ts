import { describe, expect, it } from "vitest";
import { aNode } from "../testing/fixtures";
import { blamesOf, busyWords, gpuUse, labelChanges, sharedAddresses, slotUse, usualVersions, versionsOf, wholeNodeWords } from "./nodes";

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
    slots_free: 1,
    slots: [slot, { ...slot, slot: 1, job_id: 7, rank: 0 }, { ...slot, slot: 5, job_id: 7, rank: 1 }],
  });
  const unproven = aNode({ slots_total: 1, slots_busy: 0, slots: [{ ...slot, quarantine: "not proven free" }] });
  const nodes = [node, unproven, aNode({ ...node, slots_free: 0, observed: "lost" })];
  expect(slotUse(nodes)).toEqual({ busy: 2, total: 3, free: 1 });
  const whole = aNode({ ...node, slots_busy: 1, slots_free: 0 });
  expect(wholeNodeWords(whole)).toBe("not free: job 7 has the node for itself");
  const others = [node, unproven, aNode({ ...whole, observed: "lost" }), aNode({ ...whole, desired: "drain" }), aNode({ ...whole, slots_busy: 2 })];
  expect(others.map(wholeNodeWords)).toEqual(["", "", "", "", ""]);
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

it("has for each node its newest blame, and one of its links only if it is not blamed itself", () => {
  const blame = (job_id: number, kind: "node" | "link" | "boundary", ...names: string[]) => ({ job_id, kind, names, sentence: "" });
  const found = blamesOf([blame(9, "link", "a", "b"), blame(8, "node", "b"), blame(7, "link", "a", "c"), blame(6, "boundary", "d", "e")]);
  expect([...found].map(([name, { job_id, kind }]) => [name, job_id, kind]).sort()).toEqual([["a", 9, "link"], ["b", 8, "node"], ["c", 7, "link"]]);
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
