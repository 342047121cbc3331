"""All-gather: rank r contributes chunk r, and every rank gets all p chunks. Every rank sends (p-1)/p of the buffer."""

from ringscope.schedules.schedule import Schedule, Transfer, joined, partition


def ring(ranks: int, count: int) -> Schedule:
    """Send every chunk once around the ring: the second half of the ring all-reduce."""
    steps = (
        [Transfer("all_gather", 0, (rank - step) % ranks, rank, (rank + 1) % ranks, False) for rank in range(ranks)]
        for step in range(ranks - 1)
    )
    return Schedule(ranks, partition(count, ranks), joined(steps))


def direct(ranks: int, count: int) -> Schedule:
    """Let every rank send its chunk to all others, one after another."""
    steps = (
        [Transfer("all_gather", 0, rank, rank, (rank + shift) % ranks, False) for rank in range(ranks)]
        for shift in range(1, ranks)
    )
    return Schedule(ranks, partition(count, ranks), joined(steps))
