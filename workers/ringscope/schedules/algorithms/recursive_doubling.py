"""Recursive doubling: in step k every rank exchanges its whole buffer with the rank at distance 2^k, and adds.

Every rank sends lg p buffers, the fewest messages possible: best for short ones. All ranks add the same pairs in the
same order, so results are bitwise equal. Ranks beyond a power of two are folded. Source: Thakur, Rabenseifner and
Gropp 2005; MPICH uses it up to 2 KiB.
"""

from ringscope.schedules.algorithms.folding import fold
from ringscope.schedules.schedule import Chunk, Schedule, Transfer, joined


def recursive_doubling(ranks: int, count: int) -> Schedule:
    """All-reduce of ``count`` elements as one chunk."""
    active, before, after = fold(ranks, 1)
    exchanges = (
        [Transfer("exchange", 0, 0, rank, active[i ^ 1 << bit], True) for i, rank in enumerate(active)]
        for bit in range(len(active).bit_length() - 1)
    )
    return Schedule(ranks, (Chunk(0, count),), joined(before, exchanges, after))
