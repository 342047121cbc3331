"""Reduce: the root gets the sum; what the others' results hold is left over from the way."""

from itertools import pairwise

from ringscope.schedules.algorithms.chain import segments
from ringscope.schedules.algorithms.tree import up
from ringscope.schedules.schedule import Chunk, Move, Schedule, Transfer, joined, pack


def ring(ranks: int, count: int, root: int = 0) -> Schedule:
    """A chain around to the root, every rank adding its part, in segments that follow one another."""
    order = [(root + 1 + i) % ranks for i in range(ranks)]
    chunks = segments(count)
    moves = [Move("reduce", segment, src, dst, True) for segment in range(len(chunks)) for src, dst in pairwise(order)]
    return Schedule(ranks, chunks, pack(moves), _at_root(ranks, root, len(chunks)))


def tree(ranks: int, count: int, root: int = 0) -> Schedule:
    """The binomial tree: lg p messages deep. Source: MPICH's reduce_intra_binomial.c."""
    return Schedule(ranks, (Chunk(0, count),), joined(up(ranks, root)), _at_root(ranks, root, 1))


def naive(ranks: int, count: int, root: int = 0) -> Schedule:
    """The root receives from one after another."""
    steps = ([Transfer("reduce", 0, 0, (root + shift) % ranks, root, reduce=True)] for shift in range(1, ranks))
    return Schedule(ranks, (Chunk(0, count),), joined(steps), _at_root(ranks, root, 1))


def _at_root(ranks: int, root: int, chunks: int) -> tuple[frozenset[int], ...]:
    return tuple(frozenset(range(chunks)) if rank == root else frozenset() for rank in range(ranks))
