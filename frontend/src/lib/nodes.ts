/** Comparison of nodes: slots, addresses and versions. Pure. */
import type { Blame, NodeView } from "../api/types";
import { plural, threeDigits } from "./format";

/** Jobs that have ranks on the node now. */
export function jobsOn(node: NodeView): number[] {
  return [...new Set(node.slots.flatMap((slot) => (slot.job_id === null ? [] : [slot.job_id])))];
}

/** Above this many running or waiting processes for each core the node has other work than its ranks. */
const MOST_LOAD = 1.5;

/** Whether a load average is beyond what the node's cores and its ranks explain; `ranks` are all of its machine. */
export function isOverloaded({ inventory, slots_busy }: NodeView, load: number | null | undefined, ranks = slots_busy): boolean {
  return load != null && load > MOST_LOAD * Math.max(inventory.cores, ranks);
}

/** "a load of 18.0 on 2 cores". */
export function loadWords({ inventory }: NodeView, load: number): string {
  return `a load of ${threeDigits(load)} on ${plural(inventory.cores, "core")}`;
}

/** Nodes that can be reached, by the machine that their agents run on, as far as host name, cores and memory tell. */
export function machines(nodes: readonly NodeView[]): NodeView[][] {
  const found = new Map<string, NodeView[]>();
  for (const node of nodes.filter(({ observed }) => observed !== "lost")) {
    const { hostname, cores, memory_bytes: memory } = node.inventory;
    const key = JSON.stringify([hostname, cores, memory]);
    found.set(key, [...(found.get(key) ?? []), node]);
  }
  return [...found.values()];
}

/** The newest blame of each node, else of a link that it has, of blames with the newest first. A boundary is one of racks. */
export function blamesOf(blamed: readonly Blame[]): ReadonlyMap<string, Blame> {
  const ofKind = (kind: Blame["kind"]): [string, Blame][] =>
    blamed.filter((blame) => blame.kind === kind).flatMap((blame) => blame.names.map((name): [string, Blame] => [name, blame])).reverse();
  return new Map([...ofKind("link"), ...ofKind("node")]);
}

export interface SlotUse {
  busy: number;
  total: number;
  /** The slots that a job would get now, as the server counts them. */
  free: number;
}

/** Slots of the reachable nodes: the one count that all pages show. */
export function slotUse(nodes: readonly NodeView[]): SlotUse {
  const reached = nodes.filter((node) => node.observed !== "lost");
  return {
    busy: reached.reduce((sum, node) => sum + node.slots_busy, 0),
    total: reached.reduce((sum, node) => sum + node.slots_total, 0),
    free: nodes.reduce((sum, node) => sum + node.slots_free, 0),
  };
}

/** The exclusive job that has the node for itself, so that its other slots are not free; empty if there is none. */
function wholeNodeJobs(node: NodeView): number[] {
  if (node.slots_free > 0 || node.observed === "lost" || node.desired !== "active") return [];
  const hasMore = node.slots.some((slot) => slot.job_id === null && slot.quarantine === null && slot.slot < node.slots_total);
  return hasMore && node.slots_busy < node.slots_total ? jobsOn(node) : [];
}

/** Why slots without a rank are not free; empty if no exclusive job has the node. */
export function wholeNodeWords(node: NodeView): string {
  const [job] = wholeNodeJobs(node);
  return job === undefined ? "" : `not free: job ${job} has the node for itself`;
}

/** Why more slots are busy than there are; empty if they are not. */
export function beyondWords(busy: number, total: number): string {
  return busy > total ? `${busy - total} more than it has; they disappear when their jobs end` : "";
}

/** "2 of 4 slots busy", "4 of 2 slots busy (2 more than it has; they disappear when their jobs end)". */
export function busyWords(busy: number, total: number): string {
  const beyond = beyondWords(busy, total);
  return `${busy} of ${plural(total, "slot")} busy${beyond && ` (${beyond})`}`;
}

/** GPUs of the reachable nodes, and those in use: each rank gets one while GPUs are free, as in /metrics. */
export function gpuUse(nodes: readonly NodeView[]): { busy: number; total: number } {
  const reached = nodes.filter((node) => node.observed !== "lost");
  const counts = reached.map((node) => ({ gpus: node.inventory.gpus?.length ?? 0, ranks: node.slots_busy }));
  return {
    busy: counts.reduce((sum, { gpus, ranks }) => sum + Math.min(gpus, ranks), 0),
    total: counts.reduce((sum, { gpus }) => sum + gpus, 0),
  };
}

/** For each address that several reachable nodes have, a sentence. A loopback address belongs to one machine alone. */
export function sharedAddresses(nodes: readonly NodeView[]): string[] {
  const found = new Map<string, NodeView[]>();
  for (const node of nodes.filter(({ observed }) => observed !== "lost")) {
    const machine = node.inventory.only_here ? node.inventory.hostname : "";
    if (node.address) found.set(`${machine} ${node.address}`, [...(found.get(`${machine} ${node.address}`) ?? []), node]);
  }
  return [...found.values()].flatMap(([first, ...others]) => {
    if (!first || others.length === 0) return [];
    const names = `${[first, ...others.slice(0, -1)].map(({ name }) => name).join(", ")} and ${others.at(-1)?.name ?? ""}`;
    return [`${names} have the same address ${first.address}, so no job can use them together. Start each agent with its own --address.`];
  });
}

/** Programs whose versions should be the same for ranks on two nodes. */
export const COMPARED_VERSIONS = ["ringscope", "python", "mpi", "nccl", "driver"] as const;

/** The version of each program that most nodes have; on a tie the higher one. */
export function usualVersions(nodes: readonly NodeView[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const node of nodes) {
    for (const [name, version] of Object.entries(node.versions)) {
      const found = counts.get(name) ?? new Map<string, number>();
      counts.set(name, found.set(version, (found.get(version) ?? 0) + 1));
    }
  }
  const most = (found: Map<string, number>): string =>
    [...found].sort(([a, n], [b, m]) => m - n || b.localeCompare(a, "en", { numeric: true }))[0]?.[0] ?? "";
  return new Map([...counts].map(([name, found]) => [name, most(found)]));
}

export interface Version {
  name: string;
  version: string;
  /** The version that most nodes have instead; null if it is the same. */
  usual: string | null;
}

/** A node's versions that its ranks share, each with the one that most nodes have. */
export function versionsOf(node: NodeView, usual: ReadonlyMap<string, string>): Version[] {
  return COMPARED_VERSIONS.flatMap((name) => {
    const version = node.versions[name];
    if (!version) return [];
    const most = usual.get(name) ?? version;
    return [{ name, version, usual: most === version ? null : most }];
  });
}

/** "rack=r1 zone-" as changes of labels: a value, or null to remove the label. Throws a sentence for anything else. */
export function labelChanges(text: string): Record<string, string | null> {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length === 0) throw new Error("labels: write key=value to set a label, key- to remove one.");
  return Object.fromEntries(
    words.map((word): [string, string | null] => {
      const set = /^([^=]+)=(.+)$/.exec(word);
      if (set) return [set[1] ?? "", set[2] ?? ""];
      const away = /^([^=]+)-$/.exec(word);
      if (away) return [away[1] ?? "", null];
      throw new Error(`labels: “${word}” is neither key=value nor key-; write rack=r1 to set a label, rack- to remove it.`);
    }),
  );
}
