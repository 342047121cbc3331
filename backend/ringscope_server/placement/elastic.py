"""The number of ranks of elastic jobs: as many as are free when they start, and more when slots return. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ringscope.contracts.job import Placement
from ringscope_server.placement.cluster import Cluster
from ringscope_server.placement.demands import Demands
from ringscope_server.placement.placement import Counts, place
from ringscope_server.placement.room import Room
from ringscope_server.placement.slot_index import SlotIndex
from ringscope_server.placement.snapshot import Snapshot, WorkPlacement


@dataclass(frozen=True, slots=True)
class Growth:
    """A running elastic job, its ranks, and those that it could have if it started again."""

    job_id: int
    ranks: int
    more_ranks: int


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


def growing(wanted: Mapping[int, WorkPlacement], snapshot: Snapshot) -> list[Growth]:
    """Return the elastic jobs that would have more ranks with their own slots and those that are free.

    Args:
        wanted: by running job, what it asks for.
    """
    cluster = Cluster.of(snapshot.nodes)
    demands, free = Demands(cluster), Room(cluster, snapshot.running).level.free.copy()
    found: list[Growth] = []
    for gang in snapshot.running:
        placement = wanted.get(gang.job_id)
        if placement is None or gang.is_stopping:
            continue
        with_own = free.copy()
        for number, slots in cluster.held_by(gang):
            with_own[number] += slots
        level = SlotIndex(np.minimum(with_own, cluster.capacity), cluster.capacity)
        counts = grown(_placed(demands, placement, level), cluster.held_by(gang), placement.most_ranks)
        ranks = sum(slots for _, slots in counts)
        if ranks > gang.slots:
            found.append(Growth(gang.job_id, gang.slots, ranks))
            for number, slots in counts:
                with_own[number] -= slots
            free = np.maximum(0, with_own)
    return found


def _placed(demands: Demands, placement: WorkPlacement, level: SlotIndex) -> Callable[[int], Counts | None]:
    return lambda ranks: place(demands.anywhere(placement.with_ranks(ranks)), level)
