/** Connections between the ranks of an attempt, pair by pair, as far as their nodes reported them. */
import type { LinkView, MemberView, RankBinding } from "../../../api/types";

const MOST_RANKS = 16;
/** The most nodes of the matrix: a larger one cannot be read, and takes seconds to draw. */
export const MOST_NODES = 64;

/** Memory of one NUMA node or one machine, or a network; "self" for the same rank or node. */
export type Way = "self" | "numa" | "node" | "net";

export interface Joint {
  way: Way;
  /** The measured link between the two nodes; null: none. */
  link: LinkView | null;
}

export interface Topology {
  /** Ranks, or with more than 16 of them their nodes. */
  names: readonly string[];
  isOfNodes: boolean;
  /** A row and a column for each name. */
  joints: readonly (readonly Joint[])[];
}

interface Endpoint {
  name: string;
  node: string;
  numa: number | null;
}

/** The matrix of an attempt's ranks, in their order. */
export function topologyOf(ranks: readonly RankBinding[], members: readonly MemberView[], links: readonly LinkView[]): Topology {
  const isOfNodes = ranks.length > MOST_RANKS;
  const ofRanks = ranks.map(({ rank, host, numa_node: numa }) => ({ name: String(rank), node: nodeOf(rank, members) ?? host, numa }));
  const nodes = [...new Set(ofRanks.map(({ node }) => node))];
  const ends: Endpoint[] = isOfNodes ? nodes.map((node) => ({ name: node, node, numa: null })) : ofRanks;
  return {
    names: ends.map(({ name }) => name),
    isOfNodes,
    joints: ends.map((a) => ends.map((b) => joint(a, b, links))),
  };
}

function nodeOf(rank: number, members: readonly MemberView[]): string | undefined {
  return members.find((member) => rank >= member.first_rank && rank < member.first_rank + member.ranks)?.node;
}

function joint(a: Endpoint, b: Endpoint, links: readonly LinkView[]): Joint {
  if (a.name === b.name) return { way: "self", link: null };
  if (a.node === b.node) return { way: a.numa !== null && a.numa === b.numa ? "numa" : "node", link: null };
  const link = links.find(({ nodes }) => nodes.includes(a.node) && nodes.includes(b.node));
  return { way: "net", link: link ?? null };
}
