"""Halving and doubling: reduce-scatter by recursive halving, all-gather by recursive doubling (Rabenseifner 2004).

Among p = 2^q ranks each sends 2(p-1)/p of the buffer, as in the ring, in only 2q messages. Ranks beyond a power of
two are folded, which costs a whole buffer each way. Source: Thakur, Rabenseifner and Gropp 2005; MPICH's
allreduce_intra_reduce_scatter_allgather.c.
"""

from ringscope.schedules.algorithms.folding import fold
from ringscope.schedules.schedule import Schedule, Transfer, aligned, joined


def halving_doubling(ranks: int, count: int) -> Schedule:
    """All-reduce of ``count`` elements; participant i ends the halving as owner of chunk ``bit_reversed(i)``."""
    parts = 1 << (ranks.bit_length() - 1)
    active, before, after = fold(ranks, parts)
    bits = range(parts.bit_length() - 1)
    halving = [
        [
            Transfer("reduce_scatter", 0, chunk, rank, active[i ^ 1 << bit], True)
            for i, rank in enumerate(active)
            for chunk in _kept(i ^ 1 << bit, bit + 1, parts)
        ]
        for bit in bits
    ]
    doubling = [
        [
            Transfer("all_gather", 0, chunk, rank, active[i ^ 1 << bit], False)
            for i, rank in enumerate(active)
            for chunk in _kept(i, bit + 1, parts)
        ]
        for bit in reversed(bits)
    ]
    return Schedule(ranks, aligned(count, parts), joined(before, halving, doubling, after))


def _kept(participant: int, halvings: int, parts: int) -> range:
    """Return the chunks for which a participant is still responsible: at every halving its next bit selects the
    half.
    """
    start, length = 0, parts
    for bit in range(halvings):
        length //= 2
        start += length * (participant >> bit & 1)
    return range(start, start + length)
