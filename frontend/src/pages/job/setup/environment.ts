/** A job's environment in words: one line for what all nodes have in common. */
import type { NodeEnvironment, RankBinding } from "../../../api/types";
import { plural } from "../../../lib/format";
import { formatSize } from "../../../lib/size";

/** "0-2, 8" for 0, 1, 2 and 8; "not known" for none. */
export function cpuRanges(cpus: readonly number[]): string {
  if (cpus.length === 0) return "not known";
  const ranges: [number, number][] = [];
  for (const cpu of [...cpus].sort((a, b) => a - b)) {
    const last = ranges[ranges.length - 1];
    if (last && cpu === last[1] + 1) last[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(", ");
}

/** "2 cores in 1 socket, 1 NUMA node, 16 GiB, AMD EPYC"; values that the node did not report are left out. */
export function machineInWords(node: NodeEnvironment): string {
  const parts = [
    `${plural(node.cores, "core")}${node.sockets == null ? "" : ` in ${plural(node.sockets, "socket")}`}`,
    ...(node.numa_nodes == null ? [] : [plural(node.numa_nodes, "NUMA node")]),
    formatSize(node.memory_bytes),
    node.cpu_model,
  ];
  return parts.join(", ");
}

/** "CPUs 0-1, NUMA node 0", and the GPU if there is one. */
export function bindingInWords(rank: RankBinding): string {
  const gpu = rank.device === "cpu" ? "" : `GPU ${rank.device}, `;
  return `${gpu}CPUs ${cpuRanges(rank.cpus)}${rank.numa_node == null ? "" : `, NUMA node ${rank.numa_node}`}`;
}

/** Each name with its value, or if nodes differ with the value of each: "numpy: 2.4 on a, 2.3 on b". */
export function commonValues(
  nodes: readonly NodeEnvironment[],
  part: "versions" | "variables",
): [name: string, value: string][] {
  const names = [...new Set(nodes.flatMap((node) => Object.keys(node[part])))].sort();
  return names.map((name) => {
    const values = nodes.map((node) => node[part][name] ?? "none");
    const isCommon = values.every((value) => value === values[0]);
    const each = nodes.map((node, i) => `${values[i]} on ${node.host}`);
    return [name, isCommon ? (values[0] ?? "") : each.join(", ")];
  });
}
