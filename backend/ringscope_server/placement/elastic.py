"""The number of ranks of elastic jobs when they start: as many as are free. Pure."""

from collections.abc import Callable

from ringscope.contracts.job import Placement
from ringscope_server.placement.placement import Counts
from ringscope_server.placement.snapshot import WorkPlacement


def most_ranks(placement: Placement) -> int:
    """Return the number of ranks that a job asks for, which is also what it needs unless it is elastic."""
    return placement.most_ranks if isinstance(placement, WorkPlacement) and placement.most_ranks else placement.ranks


def grown(placed: Callable[[int], Counts | None], least: Counts, most: int) -> Counts:
    """Return the places of as many ranks as possible, up to ``most``.

    Args:
        placed: returns the places of so many ranks, None if they do not fit; fewer ranks always fit if more do.
        least: the places of the fewest ranks, which fit.
    """
    fits, fails, best = sum(slots for _, slots in least), most + 1, least
    while fails - fits > 1:
        ranks = most if fails > most else (fits + fails) // 2  # mostly there is room for all
        counts = placed(ranks)
        if counts is None:
            fails = ranks
        else:
            fits, best = ranks, counts
    return best
