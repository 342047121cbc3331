"""All-to-all: chunk j of rank i becomes chunk i of rank j. Every rank sends (p-1)/p of the buffer."""

from ringscope.schedule import Schedule, Transfer, joined, partition


def direct(ranks: int, count: int) -> Schedule:
    """Ranks exchange in pairs: in step k, i and j whose sum is k modulo p. In place works, as each pair meets once."""
    if count % ranks:
        raise ValueError(f"count: {count} elements cannot be split evenly over {ranks} ranks; give a multiple.")
    steps = (
        [
            Transfer("exchange", 0, (step - rank) % ranks, rank, (step - rank) % ranks, reduce=False, into=rank)
            for rank in range(ranks)
            if (step - rank) % ranks != rank
        ]
        for step in range(ranks)
    )
    return Schedule(ranks, partition(count, ranks), joined(steps))
