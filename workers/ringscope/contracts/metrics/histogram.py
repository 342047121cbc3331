"""Observations in buckets, many at a time (pure)."""

from collections.abc import Sequence

import numpy as np


class Histogram:
    """Counts per bucket (not cumulative, the last one is +Inf) and the sum."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = np.asarray(bounds)
        self.counts = np.zeros(len(bounds) + 1, dtype=np.int64)
        self.sum = 0.0

    def observe(self, values: np.ndarray | Sequence[float]) -> np.ndarray:
        """Add observations; a value equal to a bound belongs to that bucket, as in Prometheus.

        Returns the bucket number of each observation.
        """
        places = np.searchsorted(self.bounds, np.asarray(values, dtype=float), side="left")
        self.counts += np.bincount(places, minlength=len(self.counts))
        self.sum += float(np.sum(values))
        return places


class Histograms:
    """One histogram for each set of label values."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self.by_labels: dict[tuple[str, ...], Histogram] = {}

    def of(self, *labels: str) -> Histogram:
        """Return the histogram with these labels; empty at first."""
        if labels not in self.by_labels:
            self.by_labels[labels] = Histogram(self._bounds)
        return self.by_labels[labels]
