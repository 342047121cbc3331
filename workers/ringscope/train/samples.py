"""The samples of this rank in each step: its part of a global batch that all ranks share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ringscope.contracts.training import TrainingSpec
from ringscope.train.batch_weights import Balancer, equal
from ringscope.train.sampler import Indices, Sampler

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_STEPS = 10  # steps between two exchanges of times: a small sum takes as long as a small bucket's


class Samples(Protocol):
    """Assigns samples to steps; ``counts`` are the ranks' samples in the next step, the same on every rank."""

    counts: list[int]
    steps_per_epoch: int

    def mine(self, epoch: int, index: int) -> Indices:
        """Return this rank's samples of step ``index`` of an epoch, both from 0."""

    def note(self, compute_us: float) -> None:
        """Record a step's compute time (collective)."""


class SharedSamples:
    """Every global batch is drawn from all samples, and each rank takes its part."""

    def __init__(self, comm: Communicator, spec: TrainingSpec, samples: int, is_ordered: bool = False) -> None:
        """EngineError if there are too few ``samples`` for a batch; they are not shuffled if they are ordered."""
        self.counts = equal(spec.global_batch_size, comm.size)
        self._sampler = Sampler(samples, spec.global_batch_size, spec.seed, is_ordered)
        self.steps_per_epoch = self._sampler.steps_per_epoch
        self._comm = comm
        self._balancer = Balancer(spec.global_batch_size, comm.size) if spec.batch_split == "speed" else None
        self._seconds: list[float] = []

    def mine(self, epoch: int, index: int) -> Indices:
        """Return this rank's part of the step's global batch."""
        return self._sampler.part(self._sampler.batch(epoch, index), self.counts, self._comm.rank)

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


class WholeBatches:
    """Every rank takes the whole global batch, because the ranks divide the model and not the samples."""

    def __init__(self, ranks: int, spec: TrainingSpec, samples: int) -> None:
        """EngineError if there are too few ``samples`` for a single batch."""
        self.counts = [spec.global_batch_size] * ranks
        self._sampler = Sampler(samples, spec.global_batch_size, spec.seed)
        self.steps_per_epoch = self._sampler.steps_per_epoch

    def mine(self, epoch: int, index: int) -> Indices:
        """Return the step's global batch."""
        return self._sampler.batch(epoch, index)

    def note(self, compute_us: float) -> None:
        """Ignore the time: the samples are not divided."""
