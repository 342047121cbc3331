"""Find the ranks of a communicator that share a machine."""

from typing import NamedTuple

from mpi4py import MPI


class Nodes(NamedTuple):
    """The ranks of each node, and this rank's number among the ``local_size`` ranks of its own."""

    ranks: tuple[tuple[int, ...], ...]
    local_rank: int
    local_size: int


def nodes_of(comm: MPI.Intracomm) -> Nodes:
    """The nodes that the ranks of ``comm`` run on, in the order of their first ranks (collective)."""
    node = comm.Split_type(MPI.COMM_TYPE_SHARED, key=comm.rank)
    leaders = comm.allgather(node.bcast(comm.rank))
    local_rank, local_size = node.rank, node.size
    node.Free()
    ranks = (tuple(rank for rank, its in enumerate(leaders) if its == leader) for leader in sorted(set(leaders)))
    return Nodes(tuple(ranks), local_rank, local_size)
