"""Broadcast: every rank gets the root's buffer."""

from itertools import pairwise

from ringscope.schedules.algorithms.chain import segments
from ringscope.schedules.algorithms.tree import down
from ringscope.schedules.schedule import Chunk, Move, Schedule, Transfer, joined, pack


def ring(ranks: int, count: int, root: int = 0) -> Schedule:
    """Send along a chain from the root around the ring, in consecutive segments: total time n·b for long buffers."""
    order = [(root + i) % ranks for i in range(ranks)]
    chunks = segments(count)
    moves = [
        Move("broadcast", segment, src, dst, False) for segment in range(len(chunks)) for src, dst in pairwise(order)
    ]
    return Schedule(ranks, chunks, pack(moves))


def tree(ranks: int, count: int, root: int = 0) -> Schedule:
    """Send along the binomial tree, lg p messages deep. Source: MPICH's bcast_intra_binomial.c."""
    return Schedule(ranks, (Chunk(0, count),), joined(down(ranks, root)))


def naive(ranks: int, count: int, root: int = 0) -> Schedule:
    """Send from the root to one rank after another."""
    steps = ([Transfer("broadcast", 0, 0, root, (root + shift) % ranks, reduce=False)] for shift in range(1, ranks))
    return Schedule(ranks, (Chunk(0, count),), joined(steps))
