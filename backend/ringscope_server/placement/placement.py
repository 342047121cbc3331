"""The fit of a gang: pure functions of the placement and of the free slots of each node."""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from ringscope.contracts.job import Placement
from ringscope_server.placement.cluster import Bools, Groups, Ints
from ringscope_server.placement.slot_index import SlotIndex

# (number of a node, how many of its slots)
Counts = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """The demand of a gang: its shape, and the groups of nodes within one of which it must stay.

    ``near`` are numbers of nodes that are preferred among equally good ones.
    """

    placement: Placement
    groups: Groups
    near: frozenset[int] = frozenset()


def fits(demand: Demand, level: SlotIndex) -> bool:
    """Return whether the whole gang fits into what is free. More free slots never make a fitting gang unfitting."""
    return bool(_fitting(demand, level).any())


def place(demand: Demand, level: SlotIndex) -> Counts | None:
    """Return slots for every rank, or None if the gang does not fit as a whole.

    pack: fewest nodes first, because a link is slower than shared memory; of several nodes that fit, the fullest ones,
    which keeps large nodes free for large gangs. spread: most nodes first.
    """
    groups = np.flatnonzero(_fitting(demand, level))
    if not len(groups):
        return None
    room = level.room(demand.groups, demand.placement.exclusive)
    if _is_one_node(demand.placement) and (number := _fullest(demand, room)) is not None:
        return [(number, demand.placement.ranks)]
    found = [_in_group(demand, room, int(group)) for group in groups]
    sign = 1 if demand.placement.arrangement == "pack" else -1
    return min(found, key=lambda counts: (sign * len(counts), -sum(n in demand.near for n, _ in counts), counts))


def _fitting(demand: Demand, level: SlotIndex) -> Bools:
    """Return for each group whether it holds the gang."""
    groups, is_whole = demand.groups, demand.placement.exclusive
    sizes = _sizes(demand.placement)
    if sizes is None:
        return level.sums(groups, is_whole) >= demand.placement.ranks
    (size, nodes), *smaller = sizes
    fitting: Bools = level.at_least(groups, is_whole, size) >= nodes
    for size, count in smaller:  # a node that holds a larger share also holds a smaller one
        nodes += count
        fitting = fitting & (level.at_least(groups, is_whole, size) >= nodes)
    return fitting


def _sizes(placement: Placement) -> list[tuple[int, int]] | None:
    """Return (ranks on a node, how many such nodes), largest first, if the placement gives it exactly."""
    if placement.ranks_per_node:
        return [(placement.ranks_per_node, placement.ranks // placement.ranks_per_node)]
    if nodes := placement.node_count:
        share, rest = divmod(placement.ranks, nodes)
        return [(size, count) for size, count in ((share + 1, rest), (share, nodes - rest)) if count]
    return None


def _is_one_node(placement: Placement) -> bool:
    """Return whether one node is what it asks for, or the best that it can get."""
    sizes = _sizes(placement)
    return placement.arrangement == "pack" if sizes is None else sum(count for _, count in sizes) == 1


def _fullest(demand: Demand, room: Ints) -> int | None:
    """Return the node with the fewest free slots of those that hold the whole gang, near ones first."""
    candidates = np.flatnonzero(room >= demand.placement.ranks)
    if not len(candidates):
        return None
    near = candidates[np.isin(demand.groups.node[candidates], list(demand.near))]
    candidates = near if len(near) else candidates
    least = room[candidates].min()
    return int(demand.groups.node[candidates[room[candidates] == least]].min())


def _in_group(demand: Demand, room: Ints, group: int) -> Counts:
    """Place the gang within a group that holds it; larger parts first, then by number."""
    entries = np.flatnonzero((demand.groups.group == group) & (room > 0))
    rooms = list(zip(demand.groups.node[entries].tolist(), room[entries].tolist(), strict=True))
    sizes = _sizes(demand.placement)
    if sizes is not None:
        counts = _exactly(rooms, sizes, demand.near)
    elif demand.placement.arrangement == "pack":
        counts = _packed(rooms, demand.placement.ranks, demand.near)
    else:
        counts = _spread(rooms, demand.placement.ranks, demand.near)
    return sorted(counts, key=lambda share: (-share[1], share[0]))


def _exactly(rooms: Counts, sizes: list[tuple[int, int]], near: Set[int]) -> Counts:
    fullest_first = sorted(rooms, key=lambda entry: (entry[0] not in near, entry[1], entry[0]))
    counts: Counts = []
    for size, count in sizes:
        chosen = [entry for entry in fullest_first if entry[1] >= size][:count]
        counts += [(number, size) for number, _ in chosen]
        fullest_first = [entry for entry in fullest_first if entry not in chosen]
    return counts


def _packed(rooms: Counts, ranks: int, near: Set[int]) -> Counts:
    counts: Counts = []
    for number, room in sorted(rooms, key=lambda entry: (-entry[1], entry[0] not in near, entry[0])):
        counts.append((number, min(room, ranks)))
        ranks -= counts[-1][1]
        if not ranks:
            break
    return counts


def _spread(rooms: Counts, ranks: int, near: Set[int]) -> Counts:
    """Spread as evenly as possible: small nodes are filled, the others share the rest."""
    chosen = sorted(rooms, key=lambda entry: (-entry[1], entry[0] not in near, entry[0]))[:ranks]
    counts: Counts = []
    for left, (number, room) in zip(range(len(chosen), 0, -1), reversed(chosen), strict=True):
        counts.append((number, min(room, ranks // left)))
        ranks -= counts[-1][1]
    return counts
