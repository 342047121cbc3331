"""Binomial tree: reduce to rank 0, then broadcast from it.

In step k of the reduce, every rank whose lowest set bit is k sends its whole buffer to the rank without that bit. It is
lg p messages deep each way, but sends only one buffer per rank up and one down. Source: the textbook algorithm, as in
MPICH's reduce_intra_binomial.c and bcast_intra_binomial.c.
"""

from ringscope.schedules.schedule import Chunk, Schedule, Transfer, joined


def tree(ranks: int, count: int) -> Schedule:
    """All-reduce of ``count`` elements as one chunk."""
    return Schedule(ranks, (Chunk(0, count),), joined(up(ranks, 0), down(ranks, 0)))


def up(ranks: int, root: int) -> list[list[Transfer]]:
    """Return the steps of a reduce of chunk 0 to ``root``."""
    return [
        [Transfer("reduce", 0, 0, (root + child) % ranks, (root + child - bit) % ranks, True) for child in children]
        for bit, children in _levels(ranks)
    ]


def down(ranks: int, root: int) -> list[list[Transfer]]:
    """Return the steps of a broadcast of chunk 0 from ``root``."""
    return [
        [Transfer("broadcast", 0, 0, (root + child - bit) % ranks, (root + child) % ranks, False) for child in children]
        for bit, children in reversed(_levels(ranks))
    ]


def _levels(ranks: int) -> list[tuple[int, range]]:
    """Yield each bit with the ranks that have it as their lowest set bit, leaves first."""
    return [(1 << k, range(1 << k, ranks, 2 << k)) for k in range((ranks - 1).bit_length())]
