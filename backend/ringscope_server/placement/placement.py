"""The fit of a gang: pure functions of the placement and of the free slots of each node."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from math import ceil, inf

import numpy as np

from ringscope.contracts.job import Placement
from ringscope_server.placement.cluster import Bools, Groups, Ints
from ringscope_server.placement.fastest import fastest
from ringscope_server.placement.slot_index import SlotIndex

# (number of a node, how many of its slots)
Counts = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """The demand of a gang: its shape, and the groups of nodes within one of which it must stay.

    ``near`` are numbers of nodes that are preferred among equally good ones. ``rates`` are the measured bandwidths in
    GB/s by the numbers of two nodes; only the arrangement ``fastest`` looks at them.
    """

    placement: Placement
    groups: Groups
    near: frozenset[int] = frozenset()
    rates: Mapping[frozenset[int], float] = field(default_factory=dict)


def fits(demand: Demand, level: SlotIndex) -> bool:
    """Return whether the whole gang fits into what is free. More free slots never make a fitting gang unfitting."""
    return bool(_fitting(demand, level).any())


def place(demand: Demand, level: SlotIndex) -> Counts | None:
    """Return slots for every rank, or None if the gang does not fit as a whole.

    pack: fewest nodes first, because a link is slower than shared memory; of several nodes that fit, the fullest ones,
    which keeps large nodes free for large gangs. spread: most nodes first. fastest: fewest nodes first, then those with
    the fastest links among each other.
    """
    groups = np.flatnonzero(_fitting(demand, level))
    if not len(groups):
        return None
    room = level.room(demand.groups, demand.placement.exclusive)
    if _is_one_node(demand.placement) and (number := _fullest(demand, room)) is not None:
        return [(number, demand.placement.ranks)]
    found = [_in_group(demand, room, int(group)) for group in groups]
    sign = -1 if demand.placement.arrangement == "spread" else 1

    def rating(counts: Counts) -> tuple[object, ...]:
        return sign * len(counts), -_slowest(demand, counts), -sum(n in demand.near for n, _ in counts), counts

    return min(found, key=rating)


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
    return placement.arrangement != "spread" if sizes is None else sum(count for _, count in sizes) == 1


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
    if demand.placement.arrangement == "fastest":
        rooms = _with_fastest_links(demand, rooms, sizes)
    if sizes is not None:
        counts = _exactly(rooms, sizes, demand.near)
    elif demand.placement.arrangement == "spread":
        counts = _spread(rooms, demand.placement.ranks, demand.near)
    else:
        counts = _packed(rooms, demand.placement.ranks, demand.near)
    return sorted(counts, key=lambda share: (-share[1], share[0]))


def _with_fastest_links(demand: Demand, rooms: Counts, sizes: list[tuple[int, int]] | None) -> Counts:
    """Return the rooms of the nodes that have the fastest links among each other, as many nodes as the gang needs.

    Only nodes that hold the largest part are compared; if too few do, all rooms are returned.
    """
    if sizes is not None:
        largest, count = sizes[0][0], sum(nodes for _, nodes in sizes)
    else:
        count, left = 0, demand.placement.ranks
        for room in sorted((room for _, room in rooms), reverse=True):
            if left <= 0:
                break
            count, left = count + 1, left - room
        largest = ceil(demand.placement.ranks / count)
    large = [entry for entry in rooms if entry[1] >= largest]
    if len(large) <= count:
        return rooms
    large.sort(key=lambda entry: (entry[0] not in demand.near, entry[1], entry[0]))
    chosen = set(fastest([number for number, _ in large], count, demand.rates))
    return [entry for entry in large if entry[0] in chosen]


def _slowest(demand: Demand, counts: Counts) -> float:
    """Return the slowest measured link among the nodes; 0 if none was measured or the arrangement is another one."""
    if demand.placement.arrangement != "fastest":
        return 0.0
    numbers = [number for number, _ in counts]
    pairs = (frozenset((a, b)) for index, a in enumerate(numbers) for b in numbers[:index])
    slowest = min((demand.rates[pair] for pair in pairs if pair in demand.rates), default=inf)
    return 0.0 if slowest == inf else slowest


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
