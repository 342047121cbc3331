"""How many slots of each node are free at a time to come, if every gang runs until its time limit. Pure.

Times are seconds from now.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from ringscope_server.placement.cluster import Cluster, Ints
from ringscope_server.placement.level import Level
from ringscope_server.placement.placement import Counts, Demand, fits

Floats = npt.NDArray[np.float64]


class Timeline:
    """Gangs that hold slots from now, or from the last time that was asked about, until their end."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._jobs: list[int] = []
        self._ends: list[float] = []
        self._numbers: list[int] = []
        self._slots: list[int] = []
        self._arrays: tuple[Floats, Ints, Ints] | None = None

    def hold(self, job_id: int, counts: Counts, until: float, *, is_exclusive: bool = False) -> None:
        """A gang's slots are held until then; an exclusive gang holds all of its nodes."""
        for number, slots in counts:
            self._jobs.append(job_id)
            self._ends.append(until)
            self._numbers.append(number)
            self._slots.append(int(self._cluster.capacity[number]) if is_exclusive else slots)
        self._arrays = None

    def end_now(self, job_ids: Collection[int]) -> None:
        """These gangs give their slots back as soon as they have stopped."""
        self._ends = [0.0 if job in job_ids else end for job, end in zip(self._jobs, self._ends, strict=True)]
        self._arrays = None

    def free_at(self, time: float) -> Level:
        """Free slots of each node; a gang that ends at this time has given its slots back."""
        ends, numbers, slots = self._as_arrays()
        holds = ends > time
        count = len(self._cluster.capacity)
        held = np.bincount(numbers[holds], slots[holds], count).astype(np.int64)
        return Level(np.maximum(self._cluster.capacity - held, 0), self._cluster.capacity)

    def earliest(self, demand: Demand, after: float) -> float | None:
        """The first time from ``after`` on at which the gang fits; None: not even when all others have ended.

        Nothing starts after ``after``, so what fits once fits ever after, and the time can be found by halving.
        """
        ends = self._as_arrays()[0]
        times: list[float] = [after, *np.unique(ends[ends > after]).tolist()]
        if not fits(demand, self.free_at(times[-1])):
            return None
        low, high = 0, len(times) - 1
        while low < high:
            middle = (low + high) // 2
            if fits(demand, self.free_at(times[middle])):
                high = middle
            else:
                low = middle + 1
        return times[low]

    def _as_arrays(self) -> tuple[Floats, Ints, Ints]:
        if self._arrays is None:
            self._arrays = (
                np.array(self._ends, dtype=np.float64),
                np.array(self._numbers, dtype=np.int64),
                np.array(self._slots, dtype=np.int64),
            )
        return self._arrays
