"""The collectives for compression: on NumPy arrays in host memory, by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ringscope.contracts.words.collectives import AUTO
from ringscope.engine.base import Array, Buffer, Plan

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


class HostCollectives:
    """Calls of equal size and type share registered memory and a plan; all ranks make the same calls (collective)."""

    def __init__(self, comm: Communicator, algorithm: str) -> None:
        """``algorithm`` is for the all-reduces; the engine chooses the all-gather's."""
        self.rank, self.size = comm.rank, comm.size
        self._comm, self._algorithm = comm, algorithm
        self._prepared: dict[tuple[str, str, int], tuple[Buffer, Plan]] = {}

    def all_reduce(self, array: Array) -> None:
        """Compute the sum over all ranks, in place."""
        memory, plan = self._prepare("all_reduce", self._algorithm, array.dtype, array.size)
        memory.local[:] = array.reshape(-1)
        plan.run()
        array.reshape(-1)[:] = memory.local

    def all_gather(self, array: Array) -> Array:
        """Return the arrays of all ranks, stacked on a new first axis."""
        memory, plan = self._prepare("all_gather", AUTO, array.dtype, array.size * self.size)
        memory.local.reshape(self.size, -1)[self.rank] = array.reshape(-1)
        plan.run()
        return memory.local.reshape(self.size, *array.shape).copy()

    def _prepare(self, collective: str, algorithm: str, dtype: np.dtype[Any], count: int) -> tuple[Buffer, Plan]:
        key = (collective, dtype.name, count)
        if key not in self._prepared:
            if algorithm == AUTO:
                size_bytes = count * dtype.itemsize
                algorithm = self._comm.choose(collective, dtype.name, size_bytes, in_place=True).algorithm
            memory = self._comm.buffer(count * dtype.itemsize).head(count * dtype.itemsize).view(dtype.name)
            self._prepared[key] = memory, self._comm.plan(algorithm, "sum", memory, memory, collective)
        return self._prepared[key]
