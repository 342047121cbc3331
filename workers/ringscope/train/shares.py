"""Adapt each rank's number of samples of the global batch during training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ringscope.contracts.training import TrainingSpec
from ringscope.train.batch_weights import Balancer, equal

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_STEPS = 10  # steps between two exchanges of times: a small sum takes as long as a small bucket's


class Shares:
    """``counts`` are the ranks' samples in the next step, the same on every rank."""

    def __init__(self, comm: Communicator, spec: TrainingSpec) -> None:
        self.counts = equal(spec.global_batch_size, comm.size)
        self._comm = comm
        self._balancer = Balancer(spec.global_batch_size, comm.size) if spec.batch_split == "speed" else None
        self._seconds: list[float] = []

    def note(self, compute_us: float) -> None:
        """Record a step's compute time; at every tenth step all ranks exchange their medians (collective)."""
        if self._balancer is None:
            return
        self._seconds.append(compute_us / 1e6)
        if len(self._seconds) < _STEPS:
            return
        every = np.zeros(self._comm.size)
        every[self._comm.rank] = np.median(self._seconds)  # a step that something else disturbed does not count
        self._seconds.clear()
        self._balancer.note(self._comm.total(every).tolist())
        self.counts = self._balancer.counts
