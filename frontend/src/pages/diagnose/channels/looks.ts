/** The look of each class of transport: a colour, and a dash and width that tell them apart without it. Pure. */
import type { NcclShape } from "../../../api/types";
import { rangeText } from "../words";

export interface EdgeLook {
  name: string;
  colour: string;
  dash?: string;
  width: number;
}

/** By the server's name of the class (nccl_log/transports.py), from the fastest to the slowest. */
const LOOKS: Record<string, EdgeLook> = {
  P2P: { name: "P2P", colour: "--algorithm-mpi", width: 2 },
  "shared memory": { name: "shared memory", colour: "--algorithm-tree", dash: "2 3", width: 2 },
  "the network with GPUDirect RDMA": { name: "network with GPUDirect RDMA", colour: "--algorithm-ring", dash: "9 3", width: 2 },
  "the network without GPUDirect RDMA": { name: "network without GPUDirect RDMA", colour: "--algorithm-naive", dash: "9 3 2 3", width: 2 },
  "TCP sockets": { name: "TCP sockets", colour: "--bad", dash: "5 4", width: 3.5 },
  "another transport": { name: "another transport", colour: "--algorithm-hierarchical", dash: "12 3", width: 2 },
};
const NOT_PRINTED: EdgeLook = { name: "transport not printed", colour: "--line-strong", dash: "1 4", width: 1.5 };

export function lookOf(transportClass: string | null): EdgeLook {
  return transportClass === null ? NOT_PRINTED : (LOOKS[transportClass] ?? { ...NOT_PRINTED, name: transportClass });
}

/** The looks of a shape's edges with their numbers, the fastest first. */
export function legendOf(shape: NcclShape): { look: EdgeLook; edges: number }[] {
  const counted = new Map<string | null, number>();
  for (const { transport_class: name } of shape.edges) counted.set(name, (counted.get(name) ?? 0) + 1);
  const order = Object.keys(LOOKS);
  const place = (name: string | null): number => (name === null ? order.length : order.indexOf(name));
  return [...counted].sort(([a], [b]) => place(a) - place(b)).map(([name, edges]) => ({ look: lookOf(name), edges }));
}

/** "Ring of channels 0–7", "NVLS": a shape in a choice. */
export function shapeName({ kind, channels }: NcclShape): string {
  const where = channels.length === 0 ? "" : ` ${channels.length > 1 ? "of channels" : "of channel"} ${rangeText(channels)}`;
  if (kind === "nvls") return "NVLS";
  return `${kind === "ring" ? "Ring" : kind === "tree" ? "Tree" : "Other edges"}${where}`;
}
