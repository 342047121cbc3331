"""Compute how many samples of a global batch each rank takes. Pure.

Ranks whose speeds are v_i samples/s end a step together when b_i = B v_i / sum(v). The gradient is then the sum over
all samples divided by B, and not the mean of the ranks' means.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SMOOTHING = 0.5  # weight of the newest speeds
_MIN_GAIN = 0.03  # of a step's time: less than that is noise, and every change costs the ranks new buffers


def equal(global_batch: int, ranks: int) -> list[int]:
    """Equal parts; the first ranks take one more where it does not come out even."""
    each, rest = divmod(global_batch, ranks)
    return [each + (rank < rest) for rank in range(ranks)]


def by_speed(global_batch: int, samples_per_second: Sequence[float]) -> list[int]:
    """Parts in proportion to speeds, by largest remainder, and at least one sample each.

    A speed that is no positive number counts as none. ValueError for fewer samples than ranks.
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
    """Parts that follow the ranks' speeds while they train; ranks that note the same times agree on them."""

    def __init__(self, global_batch: int, ranks: int) -> None:
        self.counts = equal(global_batch, ranks)
        self._global_batch = global_batch
        self._speeds: NDArray[np.float64] | None = None

    def note(self, compute_seconds: Sequence[float]) -> bool:
        """Take in how long each rank computed on a batch of ``counts``; whether the parts are others now.

        The times are best the means over some steps. A fixed time per step in addition to the one per sample does no
        harm: parts settle where the times are equal.
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
