"""Reduce: the root gets the sum; the results of the other ranks hold intermediate values."""

from itertools import pairwise

from ringscope.schedules.algorithms.chain import segments
from ringscope.schedules.algorithms.tree import up
from ringscope.schedules.schedule import Chunk, Move, Schedule, Transfer, joined, pack


def ring(ranks: int, count: int, root: int = 0) -> Schedule:
    """Reduce along a chain around the ring to the root, where every rank adds its part, in consecutive segments."""
    order = [(root + 1 + i) % ranks for i in range(ranks)]
    chunks = segments(count)
    moves = [Move("reduce", segment, src, dst, True) for segment in range(len(chunks)) for src, dst in pairwise(order)]
    return Schedule(ranks, chunks, pack(moves), _at_root(ranks, root, len(chunks)))


def tree(ranks: int, count: int, root: int = 0) -> Schedule:
    """Reduce along the binomial tree, lg p messages deep. Source: MPICH's reduce_intra_binomial.c."""
    return Schedule(ranks, (Chunk(0, count),), joined(up(ranks, root)), _at_root(ranks, root, 1))


def naive(ranks: int, count: int, root: int = 0) -> Schedule:
    """Receive at the root from one rank after another."""
    steps = ([Transfer("reduce", 0, 0, (root + shift) % ranks, root, reduce=True)] for shift in range(1, ranks))
    return Schedule(ranks, (Chunk(0, count),), joined(steps), _at_root(ranks, root, 1))


def _at_root(ranks: int, root: int, chunks: int) -> tuple[frozenset[int], ...]:
    return tuple(frozenset(range(chunks)) if rank == root else frozenset() for rank in range(ranks))
