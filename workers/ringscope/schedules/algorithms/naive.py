"""Naive: gather everything to rank 0, add it up there, send the sum back to each rank, one after another.

The usual textbook baseline: rank 0's link carries 2(p-1) whole buffers.
"""

from ringscope.schedules.schedule import Chunk, Schedule, Transfer


def naive(ranks: int, count: int) -> Schedule:
    """All-reduce of ``count`` elements as one chunk."""
    last = ranks - 1
    gather = tuple((Transfer("gather", peer - 1, 0, peer, 0, reduce=True),) for peer in range(1, ranks))
    broadcast = tuple((Transfer("broadcast", last + peer - 1, 0, 0, peer, reduce=False),) for peer in range(1, ranks))
    return Schedule(ranks, (Chunk(0, count),), gather + broadcast)
