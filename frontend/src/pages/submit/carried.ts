/** The parts of a job's placement that "Run again as a new job" keeps and no form shows. Pure. */
import type { BenchmarkSpec } from "../../api/types";
import { formatSize } from "../../lib/size";

/** "other jobs may run on its nodes, all nodes in one rack"; null: only defaults. */
export function carriedWords({ placement, benchmark }: BenchmarkSpec): string | null {
  const usually = benchmark.topology == null;
  const isAlone = placement.exclusive ?? usually;
  const { arrangement, same_rack: sameRack, gpu_model: model, min_gpu_memory_bytes: ofGpu, min_memory_bytes: ofNode } = placement;
  const names = placement.node_names ?? [];
  const parts = [
    ...(names.length > 0 ? [`only on ${names.join(", ")}`] : []),
    ...(isAlone === usually ? [] : [isAlone ? "no other job on its nodes" : "other jobs may run on its nodes"]),
    ...(arrangement === "spread" ? ["spread over as many nodes as possible"] : []),
    ...(arrangement === "fastest" ? ["on the nodes with the fastest links"] : []),
    ...(sameRack ? ["all nodes in one rack"] : []),
    ...(model ? [`GPUs named ${model}`] : []),
    ...(ofGpu ? [`${formatSize(ofGpu)} in each GPU at least`] : []),
    ...(ofNode ? [`${formatSize(ofNode)} in each node at least`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : null;
}
