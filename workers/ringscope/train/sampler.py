"""Assign samples to steps: equally on every rank, and for every number of ranks. Pure."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringscope.engine.errors import EngineError

Indices = NDArray[np.int64]


class Sampler:
    """Every epoch is one order of all samples, cut into global batches; an incomplete batch at its end is left out.

    It has no position, so a checkpoint needs only epoch and index.
    """

    def __init__(self, samples: int, global_batch_size: int, seed: int, is_ordered: bool = False) -> None:
        """EngineError if there are too few ``samples`` for a single batch.

        If they are ordered, every epoch has their order, as that of an iterable dataset must.
        """
        if samples < global_batch_size:
            raise EngineError(
                f"training.global_batch_size: {global_batch_size} are more than the {samples} samples to train with; "
                f"lower it to {samples} or less."
            )
        self.steps_per_epoch = samples // global_batch_size
        self._samples, self._size, self._seed, self._is_ordered = samples, global_batch_size, seed, is_ordered
        self._order: tuple[int, Indices] | None = None  # order of the epoch that was requested last

    def batch(self, epoch: int, index: int) -> Indices:
        """Return the samples of step ``index`` of an epoch, both from 0; IndexError for a step that is not in it."""
        if not 0 <= index < self.steps_per_epoch:
            raise IndexError(f"step {index} of an epoch of {self.steps_per_epoch} steps")
        if self._order is None or self._order[0] != epoch:
            self._order = (epoch, self._ordered(epoch))
        return self._order[1][index * self._size : (index + 1) * self._size]

    def _ordered(self, epoch: int) -> Indices:
        if self._is_ordered:
            return np.arange(self._samples)
        return np.random.default_rng((self._seed, epoch)).permutation(self._samples).astype(np.int64, copy=False)

    @staticmethod
    def part(batch: NDArray[Any], counts: Sequence[int], rank: int) -> NDArray[Any]:
        """Return the samples of ``rank`` in a global batch; rank i takes ``counts[i]`` samples, in rank order.

        ValueError if the counts do not add up to the batch: the gradient would silently be wrong.
        """
        if sum(counts) != len(batch):
            raise ValueError(f"counts of {sum(counts)} samples for a batch of {len(batch)}")
        start = sum(counts[:rank])
        return batch[start : start + counts[rank]]
