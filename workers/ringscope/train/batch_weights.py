"""Compute each rank's number of samples of a global batch. Pure.

Ranks whose speeds are v_i samples/s end a step together when b_i = B v_i / sum(v). The gradient is then the sum over
all samples divided by B, and not the mean of the ranks' means.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SMOOTHING = 0.5  # weight of the newest speeds
# share of a step's time: a smaller difference is noise, and every change requires new buffers on the ranks
_MIN_GAIN = 0.03


def equal(global_batch: int, ranks: int) -> list[int]:
    """Return equal parts; the first ranks get one sample more if the division leaves a remainder."""
    each, rest = divmod(global_batch, ranks)
    return [each + (rank < rest) for rank in range(ranks)]


def by_speed(global_batch: int, samples_per_second: Sequence[float]) -> list[int]:
    """Return parts in proportion to speeds, by largest remainder, with at least one sample each.

    A speed that is not a positive number counts as 0. ValueError for fewer samples than ranks.
    """
    ranks = len(samples_per_second)
    if global_batch < ranks:
        raise ValueError(f"{global_batch} samples for {ranks} ranks")
    speeds = np.asarray(samples_per_second, dtype=np.float64)
    speeds = np.where(np.isfinite(speeds) & (speeds > 0), speeds, 0.0)
    if not speeds.any():
        return equal(global_batch, ranks)
    exact = global_batch * (speeds / speeds.max() / (speeds / speeds.max()).sum())
    counts = np.floor(exact).astype(np.int64)
    by_remainder = np.argsort(counts - exact, kind="stable")
    counts[by_remainder[: global_batch - counts.sum()]] += 1
    return [int(count) for count in _at_least_one(counts)]


def _at_least_one(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Move samples from the largest parts to the empty ones."""
    for empty in np.flatnonzero(counts == 0):
        counts[counts.argmax()] -= 1
        counts[empty] = 1
    return counts


class Balancer:
    """Parts that follow the ranks' speeds during training; ranks with the same recorded times compute the same
    parts.
    """

    def __init__(self, global_batch: int, ranks: int) -> None:
        self.counts = equal(global_batch, ranks)
        self._global_batch = global_batch
        self._speeds: NDArray[np.float64] | None = None

    def note(self, compute_seconds: Sequence[float]) -> bool:
        """Record each rank's compute time on a batch of ``counts``; return whether the parts have changed.

        The times should be means over several steps. A fixed time per step in addition to the time per sample does no
        harm: the parts converge to equal times.
        """
        seconds = np.asarray(compute_seconds, dtype=np.float64)
        if not (np.isfinite(seconds) & (seconds > 0)).all():
            return False
        newest = np.asarray(self.counts) / seconds
        old = newest if self._speeds is None else self._speeds
        self._speeds = old + _SMOOTHING * (newest - old)
        counts = by_speed(self._global_batch, self._speeds.tolist())
        if self._step_seconds(counts) > (1 - _MIN_GAIN) * self._step_seconds(self.counts):
            return False
        self.counts = counts
        return True

    def _step_seconds(self, counts: Sequence[int]) -> float:
        return float((np.asarray(counts) / self._speeds).max())
