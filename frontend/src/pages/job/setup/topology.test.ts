import { describe, expect, it } from "vitest";
import type { LinkView, MemberView, RankBinding } from "../../../api/types";
import { topologyOf } from "./topology";

function bound(rank: number, host: string, numa: number | null): RankBinding {
  return { rank, local_rank: 0, host, pid: 7, device: "cpu", cpus: [0], numa_node: numa };
}

function member(node: string, first: number, ranks: number): MemberView {
  return {
    node, first_rank: first, ranks, phase: "ended", ready_at: null, running_at: null, ended_at: null, clean_at: null, clock_offset_seconds: null, clock_error_seconds: null,
  };
}

const MEASURED: LinkView = {
  nodes: ["n1", "n2"], algorithm: "mpi", transport: "mpi", busbw_gb_per_s: 1.2, size_bytes: 1024, iterations: 20, is_unstable: false, ways: [], rails: [], both_ways: true, job_id: 9, measured_at: "2026-01-01T00:00:00Z",
};

describe("what joins the ranks", () => {
  // Agents name their nodes; a host may have another name.
  const ranks = [bound(0, "host-a", 0), bound(1, "host-a", 0), bound(2, "host-a", 1), bound(3, "host-b", 0)];
  const members = [member("n1", 0, 3), member("n2", 3, 1)];

  it("is a NUMA node's memory, a machine's, or a network", () => {
    const found = topologyOf(ranks, members, []);
    expect(found.names).toEqual(["0", "1", "2", "3"]);
    expect(found.joints.map((row) => row.map(({ way }) => way))).toEqual([
      ["self", "numa", "node", "net"],
      ["numa", "self", "node", "net"],
      ["node", "node", "self", "net"],
      ["net", "net", "net", "self"],
    ]);
  });

  it("is no NUMA node if a rank did not report its own", () => {
    expect(topologyOf([bound(0, "a", null), bound(1, "a", null)], [], []).joints[0]?.[1]?.way).toBe("node");
  });

  it("has what was measured between two nodes, whichever is named first", () => {
    const { joints } = topologyOf(ranks, members, [MEASURED]);
    expect([joints[0]?.[3]?.link, joints[3]?.[0]?.link, joints[0]?.[1]?.link]).toEqual([MEASURED, MEASURED, null]);
    expect(topologyOf(ranks, [], [MEASURED]).joints[0]?.[3]).toEqual({ way: "net", link: null });
  });

  it("is of nodes if there are too many ranks", () => {
    const many = Array.from({ length: 18 }, (_, rank) => bound(rank, rank < 9 ? "n1" : "n2", 0));
    const found = topologyOf(many, [member("n1", 0, 9), member("n2", 9, 9)], [MEASURED]);
    expect([found.isOfNodes, found.names, found.joints[0]?.[1]?.link]).toEqual([true, ["n1", "n2"], MEASURED]);
  });
});
