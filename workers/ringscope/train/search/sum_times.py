"""The times of a run's all-reduces, from which ``auto`` and the forecast learn.

The time of a sum is that of the rank that came last to it: on the others it includes their waiting.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ringscope.contracts.search.record import MOST_SUMS, MeasuredSum
from ringscope.contracts.training import MIRRORED, TrainingSpec
from ringscope.contracts.words.devices import carrier
from ringscope.train.sums.gradient_sum import Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator
    from ringscope.train.trainer import Trainer

_FEWEST_STEPS = 3  # the times of fewer steps have no useful median


class _Row(NamedTuple):
    """The sum of a bucket in a step, as this rank timed it."""

    algorithm: str
    size_bytes: int
    time_us: float


class SumTimes:
    """Collects the sums of one run after another; all ranks make the same calls."""

    def __init__(self, comm: Communicator) -> None:
        self._comm = comm
        self._is_open = False
        self._steps: list[Sums] = []

    def begin(self, training: TrainingSpec) -> None:
        """Collect the sums of the next run if they are usual ones: by our all-reduce, overlapped with backward."""
        self._is_open = training.strategy in MIRRORED and training.compression == "none" and training.overlap
        self._steps = []

    def follow(self, trainer: Trainer) -> None:
        """Collect the sums of this trainer's steps."""
        if self._is_open:
            trainer.observe_sums(self.note)

    def note(self, sums: Sums) -> None:
        """Add the sums of a step."""
        self._steps.append(sums)

    def end(self, warm_steps: int) -> list[MeasuredSum]:
        """Return the median times by algorithm and size, without the first steps (collective); those of most steps
        come first.
        """
        steps, self._steps, self._is_open = self._steps[warm_steps:], [], False
        rows = [row for sums in steps for row in _rows(sums)]
        if not rows:
            return []
        shortest_us = -self._comm.maximum(-np.array([row.time_us for row in rows], np.float64))
        times_us: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        for row, time_us in zip(rows, shortest_us.tolist(), strict=True):
            times_us[row.algorithm, row.size_bytes].append(time_us)
        most_first = sorted(times_us.items(), key=lambda item: (-len(item[1]), item[0]))
        return [
            MeasuredSum(
                algorithm=algorithm,
                transport=carrier(algorithm, self._comm.transport.name),
                size_bytes=size_bytes,
                time_us=median(found),
                cores=self._comm.cores,
            )
            for (algorithm, size_bytes), found in most_first[:MOST_SUMS]
            if len(found) >= _FEWEST_STEPS and median(found) > 0
        ]


def _rows(sums: Sums) -> list[_Row]:
    """Return the buckets of a step; none if the engine's plans did not sum them."""
    if not sums.algorithms:
        return []
    durations_us = [end - start for start, end in zip(sums.start_us, sums.end_us, strict=True)]
    return [_Row(*row) for row in zip(sums.algorithms, sums.bucket_bytes, durations_us, strict=True)]
