"""Reduce-scatter: of the p chunks of the result, rank r gets chunk r. Every rank sends (p-1)/p of the buffer.

Outside a rank's own chunk the result holds intermediate values.
"""

from ringscope.schedules.schedule import Schedule, Transfer, joined, partition


def ring(ranks: int, count: int) -> Schedule:
    """Pass chunk r through all ranks, each of which adds its part, to rank r: the first half of the ring all-reduce."""
    steps = (
        [
            Transfer("reduce_scatter", 0, (rank - 1 - step) % ranks, rank, (rank + 1) % ranks, reduce=True)
            for rank in range(ranks)
        ]
        for step in range(ranks - 1)
    )
    return Schedule(ranks, partition(count, ranks), joined(steps), _own_chunks(ranks))


def direct(ranks: int, count: int) -> Schedule:
    """Let every rank receive its chunk from all others, one after another: MPICH's pairwise algorithm."""
    steps = (
        [
            Transfer("reduce_scatter", 0, (rank + shift) % ranks, rank, (rank + shift) % ranks, reduce=True)
            for rank in range(ranks)
        ]
        for shift in range(1, ranks)
    )
    return Schedule(ranks, partition(count, ranks), joined(steps), _own_chunks(ranks))


def _own_chunks(ranks: int) -> tuple[frozenset[int], ...]:
    return tuple(frozenset({rank}) for rank in range(ranks))
