"""Direct: pairwise reduce-scatter and all-gather. Rank i owns chunk i: it receives it from all ranks and sends the sum
to all.

It sends as much as the ring, but every chunk is sent only twice; it needs a link between every two ranks, as in shared
memory. Each step is a rotation, so that every rank sends one chunk and receives one.
"""

from ringscope.schedules.schedule import Schedule, Transfer, aligned


def direct(ranks: int, count: int) -> Schedule:
    """All-reduce of ``count`` elements."""
    last = ranks - 1
    reduce_scatter = tuple(
        tuple(
            Transfer("reduce_scatter", shift - 1, (rank + shift) % ranks, rank, (rank + shift) % ranks, reduce=True)
            for rank in range(ranks)
        )
        for shift in range(1, ranks)
    )
    all_gather = tuple(
        tuple(
            Transfer("all_gather", last + shift - 1, rank, rank, (rank + shift) % ranks, reduce=False)
            for rank in range(ranks)
        )
        for shift in range(1, ranks)
    )
    return Schedule(ranks, aligned(count, ranks), reduce_scatter + all_gather)
