import { describe, expect, it } from "vitest";
import type { NodeEnvironment } from "../../../api/types";
import { bindingInWords, commonValues, cpuRanges, machineInWords } from "./environment";

function aNode(change: Partial<NodeEnvironment> = {}): NodeEnvironment {
  return {
    rank: 0,
    host: "a",
    ranks: [0, 1],
    versions: { numpy: "2.4" },
    variables: {},
    cpu_model: "EPYC",
    cores: 16,
    physical_cores: 8,
    sockets: 2,
    numa_nodes: 1,
    memory_bytes: 2 ** 34,
    ...change,
  };
}

describe("environment", () => {
  it("writes processors as ranges", () => {
    expect(cpuRanges([8, 0, 1, 2, 11])).toBe("0-2, 8, 11");
    expect(cpuRanges([])).toBe("not known");
  });

  it("describes a machine as far as it was reported", () => {
    expect(machineInWords(aNode())).toBe("16 cores in 2 sockets, 1 NUMA node, 16 GiB, EPYC");
    expect(machineInWords(aNode({ sockets: null, numa_nodes: null }))).toBe("16 cores, 16 GiB, EPYC");
  });

  it("says where a rank is bound", () => {
    const rank = { rank: 1, local_rank: 1, host: "a", pid: 7, device: "cpu", cpus: [0, 1], numa_node: 0 };
    expect(bindingInWords(rank)).toBe("CPUs 0-1, NUMA node 0");
    expect(bindingInWords({ ...rank, device: "0 [0000:17:00.0]", numa_node: null })).toBe("GPU 0 [0000:17:00.0], CPUs 0-1");
  });

  it("names the nodes only where they differ", () => {
    const nodes = [aNode(), aNode({ host: "b", versions: { numpy: "2.4", torch: "2.13" } })];
    expect(commonValues(nodes, "versions")).toEqual([["numpy", "2.4"], ["torch", "none on a, 2.13 on b"]]);
  });
});
