"""The free slots of each node and the sums for groups of nodes, computed once. Pure."""

import numpy as np

from ringscope_server.placement.cluster import Groups, Ints


class SlotIndex:
    """Free slots by node number; they must not change afterwards. All results are arrays over the groups.

    ``is_whole`` counts only nodes on which nothing is: those that a gang may have alone.
    """

    def __init__(self, free: Ints, capacity: Ints) -> None:
        self.free, self.capacity = free, capacity
        self._rooms: dict[tuple[Groups, bool], Ints] = {}
        self._sums: dict[tuple[Groups, bool], Ints] = {}
        self._at_least: dict[tuple[Groups, bool, int], Ints] = {}

    def room(self, groups: Groups, is_whole: bool) -> Ints:
        """Return the free slots of each entry of the groups."""
        room = self._rooms.get((groups, is_whole))
        if room is None:
            room = self.free[groups.node]
            if is_whole:
                room = np.where(room == self.capacity[groups.node], room, 0)
            self._rooms[groups, is_whole] = room
        return room

    def sums(self, groups: Groups, is_whole: bool) -> Ints:
        """Return the free slots of each group."""
        sums = self._sums.get((groups, is_whole))
        if sums is None:
            sums = np.bincount(groups.group, self.room(groups, is_whole), groups.count).astype(np.int64)
            self._sums[groups, is_whole] = sums
        return sums

    def at_least(self, groups: Groups, is_whole: bool, size: int) -> Ints:
        """Return how many nodes of each group have at least ``size`` free slots."""
        counts = self._at_least.get((groups, is_whole, size))
        if counts is None:
            counts = np.bincount(groups.group[self.room(groups, is_whole) >= size], minlength=groups.count)
            self._at_least[groups, is_whole, size] = counts
        return counts
