"""The samples of a rank that has only some of the labels: the uneven data of federated learning."""

from __future__ import annotations

import numpy as np

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import EngineError
from ringscope.train.batch_weights import by_speed
from ringscope.train.sampler import Indices


class LabelledSamples:
    """Rank r has the samples of the labels r, r + ranks, r + 2 ranks and so on; no other rank reads them.

    The ranks' numbers of samples differ, and so do their parts of a step: all ranks pass their samples once in an
    epoch.
    """

    def __init__(self, spec: TrainingSpec, labels: Indices, ranks: int, rank: int) -> None:
        """``labels`` are those of all samples, from 0; EngineError if they are too few for the ranks or for a batch."""
        owners = labels % ranks
        sizes = np.bincount(owners, minlength=ranks)
        if not sizes.all():
            raise EngineError(
                f"training.split: by_label leaves rank {int(np.argmin(sizes))} of {ranks} without samples; choose "
                "shared, or at most one rank for each label."
            )
        self.counts = by_speed(spec.global_batch_size, sizes.tolist())
        self.steps_per_epoch = int(min(sizes // self.counts))
        if not self.steps_per_epoch:
            raise EngineError(
                f"training.global_batch_size: a batch of {spec.global_batch_size} is more than the samples of a rank; "
                f"lower it to {sizes.sum() // 2} or less."
            )
        self._mine = np.flatnonzero(owners == rank).astype(np.int64)
        self._seed, self._rank = spec.seed, rank
        self._order: tuple[int, Indices] | None = None  # order of the epoch that was requested last

    def mine(self, epoch: int, index: int) -> Indices:
        """Return this rank's samples of step ``index`` of an epoch; IndexError for a step that is not in it."""
        if not 0 <= index < self.steps_per_epoch:
            raise IndexError(f"step {index} of an epoch of {self.steps_per_epoch} steps")
        if self._order is None or self._order[0] != epoch:
            generator = np.random.default_rng((self._seed, epoch, self._rank))
            self._order = (epoch, generator.permutation(self._mine))
        count = self.counts[self._rank]
        return self._order[1][index * count : (index + 1) * count]

    def note(self, compute_us: float) -> None:
        """Do nothing: the ranks' parts follow from their samples."""
