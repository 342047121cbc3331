/** Collectives and algorithms in words: the help for choosing one and for reading its measurements. */
import type { Algorithm, Collective } from "../api/types";

export interface CollectiveWords {
  name: string;
  does: string;
  /** What the size column counts; if ranks own parts, `count` is the elements of one part. */
  size: string;
  hasParts: boolean;
  /** busbw / algbw over n ranks (nccl-tests, doc/PERFORMANCE.md). */
  factor: "2(n−1)/n" | "(n−1)/n" | "1";
  /** The same call of the MPI library. */
  mpi: string;
}

export const COLLECTIVES: Record<Collective, CollectiveWords> = {
  all_reduce: {
    name: "all-reduce",
    does: "Every rank ends with the buffers of all ranks combined.",
    size: "the buffer of each rank",
    hasParts: false,
    factor: "2(n−1)/n",
    mpi: "MPI_Allreduce",
  },
  reduce_scatter: {
    name: "reduce-scatter",
    does: "The buffers of all ranks are combined; each rank ends with one of n parts of the result.",
    size: "the whole buffer that each rank puts in",
    hasParts: true,
    factor: "(n−1)/n",
    mpi: "MPI_Reduce_scatter",
  },
  all_gather: {
    name: "all-gather",
    does: "Each rank puts in one part; every rank ends with all n parts.",
    size: "the whole buffer that each rank gets",
    hasParts: true,
    factor: "(n−1)/n",
    mpi: "MPI_Allgatherv",
  },
  broadcast: {
    name: "broadcast",
    does: "Every rank ends with the root's buffer.",
    size: "the buffer of the root",
    hasParts: false,
    factor: "1",
    mpi: "MPI_Bcast",
  },
  reduce: {
    name: "reduce",
    does: "The root ends with the buffers of all ranks combined.",
    size: "the buffer of each rank",
    hasParts: false,
    factor: "1",
    mpi: "MPI_Reduce",
  },
  alltoall: {
    name: "all-to-all",
    does: "Each rank has a different part for every rank, as in transposing a matrix.",
    size: "the whole buffer of each rank",
    hasParts: true,
    factor: "(n−1)/n",
    mpi: "MPI_Alltoall",
  },
  sendrecv: {
    name: "send-receive",
    does: "Each rank sends its buffer to the next rank and receives one from the rank before.",
    size: "the buffer that each rank sends",
    hasParts: false,
    factor: "1",
    mpi: "MPI_Sendrecv",
  },
};

type Sends = Partial<Record<Algorithm, string>>;

type Library = "mpi" | "gloo" | "nccl";

/** auto: chooses another algorithm for each row. */
export const AUTO = "auto";

const ALL_REDUCE: Record<Exclude<Algorithm, Library | typeof AUTO>, string> = {
  ring: "Each rank sends 2(n−1)/n of its buffer, the least possible, in 2(n−1) steps to the next rank.",
  ring_pipelined: "The ring in segments: one is on the wire while another is added. Each rank sends as much as in the ring.",
  direct: "Each rank adds up one part for all and hands it out. It sends as much as in the ring; a part travels only twice.",
  recursive_doubling: "Each rank sends its whole buffer log₂ n times, to ranks 1, 2, 4 … away. Fewest messages: best for short ones.",
  halving_doubling: "Each rank sends 1/2, 1/4 … of its buffer, then the same back: 2(n−1)/n in 2 log₂ n messages.",
  tree: "Each rank sends its whole buffer once up a binomial tree; on the way down rank 0 sends log₂ n buffers.",
  double_tree: "Two binary trees with half of the buffer each, in segments. A rank inside one is a leaf of the other; it sends at most two buffers.",
  hierarchical: "Rings inside nodes of g ranks, then between k nodes: a rank sends 2(g−1)/g inside and only 2(k−1)/(kg) outside.",
  parameter_server: "Each rank pushes its whole buffer to one server rank and pulls the result; the server sends n−1 buffers.",
  naive: "Each rank sends its whole buffer to rank 0, one after another; rank 0 sends n−1 results.",
};

const SENDS: Record<Collective, Sends> = {
  all_reduce: ALL_REDUCE,
  reduce_scatter: {
    ring: "Each part goes once around and every rank adds its own: (n−1)/n of the buffer in n−1 steps to the next rank.",
    direct: "Each rank sends every other rank its part: (n−1)/n of the buffer; no part travels twice.",
  },
  all_gather: {
    ring: "Each part goes once around: every rank sends (n−1)/n of the buffer in n−1 steps to the next rank.",
    direct: "Each rank sends its part to all others, one after another: (n−1)/n of the buffer.",
  },
  broadcast: {
    ring: "A chain from the root, in segments that follow one another: each rank but the last sends the buffer once.",
    tree: "A binomial tree, log₂ n messages deep: the root sends log₂ n buffers.",
    naive: "The root sends its buffer to one rank after another: n−1 buffers.",
  },
  reduce: {
    ring: "A chain to the root, in segments: each rank adds its own and sends the buffer once.",
    tree: "A binomial tree, log₂ n messages deep: each rank but the root sends one buffer.",
    naive: "Each rank sends its buffer straight to the root, which receives n−1 of them one after another.",
  },
  alltoall: {
    direct: "Ranks exchange parts in pairs, step by step: each sends (n−1)/n of its buffer.",
  },
  sendrecv: {
    ring: "Each rank sends its whole buffer to the next rank, all at once: a measure of the links.",
  },
};

/** What a rank sends, in one line. */
export function whatARankSends(collective: Collective, algorithm: string): string {
  if (algorithm === AUTO) {
    return "The fastest of the others for each size: by what jobs like this one measured before, else by the cost model.";
  }
  if (algorithm === "mpi") return `The MPI library's own ${COLLECTIVES[collective].mpi}, to compare with.`;
  if (algorithm === "gloo") return "A library to compare with: PyTorch's own all-reduce on CPUs; each node needs torch.";
  if (algorithm === "nccl") return "A library to compare with: NVIDIA's NCCL; each rank needs a GPU.";
  return SENDS[collective][algorithm as Algorithm] ?? "";
}

/** "an all-reduce", "a broadcast". */
export function withArticle(name: string): string {
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

/** The value of a bus factor for n ranks. */
export function busFactor(factor: CollectiveWords["factor"], ranks: number): number {
  const part = (ranks - 1) / ranks;
  return { "2(n−1)/n": 2 * part, "(n−1)/n": part, "1": 1 }[factor];
}
