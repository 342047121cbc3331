"""The free slots: how many of each node, and which. They only decrease during a pass. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from ringscope_server.placement.cluster import Cluster, Ints
from ringscope_server.placement.placement import Counts
from ringscope_server.placement.slot_index import SlotIndex
from ringscope_server.placement.snapshot import RunningGang, Share


class Room:
    """The free slots of a cluster while gangs run on it."""

    def __init__(self, cluster: Cluster, running: Iterable[RunningGang]) -> None:
        held: dict[int, set[int]] = defaultdict(set)
        free = cluster.capacity.copy()
        for gang in running:
            for share in gang.shares:
                held[share.node_id].update(share.slots)
            for number, slots in cluster.held_by(gang):
                free[number] -= slots
        self._cluster = cluster
        self._slots: list[Sequence[int]] = [
            [slot for slot in node.slots if slot not in held[node.id]][: max(0, count)]
            for node, count in zip(cluster.nodes, free.tolist(), strict=True)
        ]
        self._free: Ints = np.array([len(slots) for slots in self._slots], dtype=np.int64)
        self.level = self._now()

    def take(self, counts: Counts, *, is_exclusive: bool) -> tuple[Share, ...]:
        """Give slots away, the lowest numbers first; an exclusive gang leaves nothing on its nodes."""
        shares = []
        for number, count in counts:
            slots = self._slots[number]
            shares.append(Share(self._cluster.nodes[number].id, tuple(slots[:count])))
            self._slots[number] = () if is_exclusive else slots[count:]
            self._free[number] = len(self._slots[number])
        self.level = self._now()
        return tuple(shares)

    def _now(self) -> SlotIndex:
        return SlotIndex(self._free.copy(), self._cluster.capacity)
