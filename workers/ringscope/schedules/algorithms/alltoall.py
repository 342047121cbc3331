"""All-to-all: chunk j of rank i becomes chunk i of rank j. Every rank sends (p-1)/p of the buffer."""

from ringscope.schedules.schedule import Schedule, Transfer, joined, partition


def direct(ranks: int, count: int) -> Schedule:
    """Exchange in pairs, as in a round-robin tournament. It works in place, because each pair exchanges once.

    An even number of ranks needs p-1 rounds, the least possible; an odd number needs p rounds, in each of which one
    rank is idle.
    """
    if count % ranks:
        raise ValueError(f"count: {count} elements cannot be split evenly over {ranks} ranks; give a multiple.")
    steps = (
        [
            Transfer("exchange", 0, partner, rank, partner, reduce=False, into=rank)
            for rank in range(ranks)
            if (partner := _partner(rank, round_, ranks)) is not None
        ]
        for round_ in range(ranks - 1 + ranks % 2)
    )
    return Schedule(ranks, partition(count, ranks), joined(steps))


def _partner(rank: int, round_: int, ranks: int) -> int | None:
    """Return the partner in a round: the numbers of both ranks add up to the round modulo an odd number.

    A rank that would be its own partner exchanges with the last rank, or is idle if the number of ranks is odd.
    """
    odd = ranks - 1 + ranks % 2
    if rank == odd:
        return round_ * (odd + 1) // 2 % odd
    partner = (round_ - rank) % odd
    if partner != rank:
        return partner
    return odd if odd < ranks else None
