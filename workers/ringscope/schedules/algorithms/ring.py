"""Ring: reduce-scatter, then all-gather, p-1 steps each, always to the next rank (Patarasuk and Yuan 2009).

Every rank sends 2(p-1)/p of the buffer, the least possible, but in 2(p-1) consecutive messages.
"""

from ringscope.schedules.schedule import Schedule, Transfer, aligned


def ring(ranks: int, count: int) -> Schedule:
    """All-reduce of ``count`` elements; rank r ends the reduce-scatter as owner of chunk r+1 mod p."""
    last = ranks - 1
    reduce_scatter = tuple(
        tuple(
            Transfer("reduce_scatter", step, (rank - step) % ranks, rank, (rank + 1) % ranks, reduce=True)
            for rank in range(ranks)
        )
        for step in range(last)
    )
    all_gather = tuple(
        tuple(
            Transfer("all_gather", last + step, (rank + 1 - step) % ranks, rank, (rank + 1) % ranks, reduce=False)
            for rank in range(ranks)
        )
        for step in range(last)
    )
    return Schedule(ranks, aligned(count, ranks), reduce_scatter + all_gather)


def reversed_ring(ranks: int, count: int) -> Schedule:
    """Return the ring in the other direction: 2 to 1, 3 to 2, 1 to 3, as in some texts.

    Rank r owns the same chunk r+1 mod p after the reduce-scatter. Bytes and steps are equal to those of ``ring``.
    """
    schedule = ring(ranks, count)
    steps = tuple(tuple(_mirrored(transfer, ranks) for transfer in step) for step in schedule.steps)
    return Schedule(ranks, schedule.chunks, steps)


def _mirrored(transfer: Transfer, ranks: int) -> Transfer:
    return transfer._replace(chunk=(2 - transfer.chunk) % ranks, src=-transfer.src % ranks, dst=-transfer.dst % ranks)
