/** The pages' questions about nodes and the links between them. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { NodeView } from "../api/types";
import { nodesKey } from "./keys";

/** A node and the time at which this browser received it: ages continue from there, whatever the two clocks say. */
export type SeenNode = NodeView & { seen_at_ms: number };

export function seenNow(node: NodeView): SeenNode {
  return { ...node, seen_at_ms: Date.now() };
}

export const clusterQuery = queryOptions({
  queryKey: ["cluster"],
  queryFn: async () => unwrap(await api.GET("/api/v1/cluster")),
});

const BUSY_SLOTS_MS = 60_000;

/** The mean number of busy slots in each quarter of an hour of the last day. */
export const busySlotsQuery = queryOptions({
  queryKey: ["cluster", "slots"],
  queryFn: async () => unwrap(await api.GET("/api/v1/cluster/slots")),
  refetchInterval: BUSY_SLOTS_MS,
});

export const nodesQuery = queryOptions({
  queryKey: nodesKey(),
  queryFn: async () => unwrap(await api.GET("/api/v1/nodes")).items.map(seenNow),
});

/** Bandwidth between all pairs of nodes, as diagnoses and sendrecv jobs measured it. */
export const linksQuery = queryOptions({
  queryKey: ["links"],
  queryFn: async () => unwrap(await api.GET("/api/v1/links")).items,
});

/** Links of a node with others. */
export function nodeLinksQuery(node: string) {
  return queryOptions({
    queryKey: ["node-links", node],
    queryFn: async () => unwrap(await api.GET("/api/v1/links", { params: { query: { node } } })).items,
  });
}

/** Links between these nodes. */
export function linksBetweenQuery(between: string[]) {
  return queryOptions({
    queryKey: ["links-between", between],
    queryFn: async () => unwrap(await api.GET("/api/v1/links", { params: { query: { between } } })).items,
  });
}

const READINGS_MS = 10_000;

/** How busy nodes were in the last minutes, by name. */
export const readingsQuery = queryOptions({
  queryKey: ["readings"],
  queryFn: async () => unwrap(await api.GET("/api/v1/readings")).items,
  refetchInterval: READINGS_MS,
});

/** The events of a node, newest first. */
export function nodeEventsQuery(name: string) {
  const query = { target_type: "node", target_id: name, limit: 20 };
  return queryOptions({
    queryKey: nodesKey(name, "events"),
    queryFn: async () => unwrap(await api.GET("/api/v1/events", { params: { query } })).items,
  });
}

const RAS_MS = 5_000;

/** What NCCL's RAS on a node said last. */
export function nodeRasQuery(name: string) {
  return queryOptions({
    queryKey: nodesKey(name, "nccl-ras"),
    queryFn: async () => unwrap(await api.GET("/api/v1/nodes/{name}/nccl-ras", { params: { path: { name } } })).state,
    refetchInterval: RAS_MS,
  });
}

const GPUS_MS = 5_000;

/** What a node's agent said last of its GPUs. */
export function nodeGpusQuery(name: string) {
  return queryOptions({
    queryKey: nodesKey(name, "gpus"),
    queryFn: async () => unwrap(await api.GET("/api/v1/nodes/{name}/gpus", { params: { path: { name } } })),
    refetchInterval: GPUS_MS,
  });
}

const HISTORY_MS = 60_000;

/** A node's load by the minute over the last day. */
export function nodeHistoryQuery(name: string) {
  return queryOptions({
    queryKey: nodesKey(name, "history"),
    queryFn: async () => unwrap(await api.GET("/api/v1/nodes/{name}/history", { params: { path: { name } } })),
    refetchInterval: HISTORY_MS,
  });
}
