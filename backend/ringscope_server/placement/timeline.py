"""The free slots of each node at a future time, if every gang runs until its time limit. Pure.

Times are seconds from now.
"""

from bisect import bisect_left
from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from ringscope_server.placement.cluster import Cluster, Ints
from ringscope_server.placement.placement import Counts, Demand, fits
from ringscope_server.placement.slot_index import SlotIndex

Floats = npt.NDArray[np.float64]


class Timeline:
    """Gangs that hold slots from now, or from the last time that was asked about, until their end."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._ends: Floats = np.empty(0, dtype=np.float64)  # ascending
        self._holds: Ints = np.empty((3, 0), dtype=np.int64)  # job, node number and slots of each end
        self._new_ends: list[float] = []
        self._new_holds: list[tuple[int, int, int]] = []

    def hold(self, job_id: int, counts: Counts, until: float, *, is_exclusive: bool = False) -> None:
        """Hold a gang's slots until then; an exclusive gang holds all of its nodes."""
        for number, slots in counts:
            self._new_ends.append(until)
            self._new_holds.append((job_id, number, int(self._cluster.capacity[number]) if is_exclusive else slots))

    def end_now(self, job_ids: Collection[int]) -> None:
        """Free the slots of these gangs as soon as they have stopped."""
        self._sort_in()
        self._ends[np.isin(self._holds[0], list(job_ids))] = 0.0
        self._in_order()

    def free_at(self, time: float) -> SlotIndex:
        """Return the free slots of each node; a gang that ends at this time has released its slots."""
        self._sort_in()
        _, numbers, slots = self._holds[:, np.searchsorted(self._ends, time, side="right") :]
        held = np.bincount(numbers, slots, len(self._cluster.capacity)).astype(np.int64)
        return SlotIndex(np.maximum(self._cluster.capacity - held, 0), self._cluster.capacity)

    def earliest(self, demand: Demand, after: float) -> float | None:
        """Return the first time from ``after`` on at which the gang fits; None if not even when all others have ended.

        No gang starts after ``after``, so a gang that fits once fits ever after, and a binary search finds the time.
        """
        if fits(demand, self.free_at(after)):
            return after
        times: list[float] = self._ends[np.searchsorted(self._ends, after, side="right") :].tolist()
        first = bisect_left(times, True, key=lambda time: fits(demand, self.free_at(time)))
        return times[first] if first < len(times) else None

    def _sort_in(self) -> None:
        if self._new_ends:
            self._ends = np.concatenate((self._ends, self._new_ends))
            self._holds = np.concatenate((self._holds, np.transpose(self._new_holds)), axis=1)
            self._new_ends, self._new_holds = [], []
            self._in_order()

    def _in_order(self) -> None:
        order = np.argsort(self._ends, kind="stable")
        self._ends, self._holds = self._ends[order], self._holds[:, order]
