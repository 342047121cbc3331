"""Timed blocks: one clock reading per iteration, statistics afterwards."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ringscope.transports.base import Array


@dataclass(frozen=True, slots=True)
class Block:
    """Iterations back to back: when the first one started (wall clock) and the clock between them, in ns."""

    start_ns: int
    stamps_ns: Array

    @property
    def durations_us(self) -> Array:
        """Duration of every iteration."""
        return np.diff(self.stamps_ns) / 1e3

    @property
    def mean_us(self) -> float:
        """Duration of the block per iteration."""
        return float(self.stamps_ns[-1] - self.stamps_ns[0]) / 1e3 / (self.stamps_ns.size - 1)

    def starts_ns(self) -> Array:
        """Wall-clock start of every iteration."""
        starts: Array = self.start_ns + self.stamps_ns[:-1] - self.stamps_ns[0]
        return starts


def timed_block(call: Callable[[], None], iterations: int) -> Block:
    """Run ``call`` back to back; a clock reading (about 50 ns) is all that lies between two calls."""
    clock = time.perf_counter_ns
    stamps = [0] * (iterations + 1)
    start_ns = time.time_ns()
    stamps[0] = clock()
    for i in range(1, iterations + 1):
        call()
        stamps[i] = clock()
    return Block(start_ns, np.array(stamps, np.int64))


def spread(durations_us: Array) -> dict[str, float]:
    """What a row says about its iterations, by the names of ``record.Measurement``; by nccl-tests' rules."""
    ordered = sorted(durations_us.tolist())
    mean_us = sum(ordered) / len(ordered)
    stdev_us = math.sqrt(sum((value - mean_us) ** 2 for value in ordered) / len(ordered))
    return {
        "min_us": ordered[0],
        "mean_us": mean_us,
        "p50_us": percentile(ordered, 50),
        "p95_us": percentile(ordered, 95),
        "p99_us": percentile(ordered, 99),
        "max_us": ordered[-1],
        "stdev_us": stdev_us,
        "cv_percent": 100 * stdev_us / mean_us if mean_us else 0.0,
    }


def percentile(ordered: Sequence[float], percent: int) -> float:
    """nccl-tests' rule on sorted values: the median is entry n/2, others the nearest rank ceil(n*P/100)-1."""
    n = len(ordered)
    return float(ordered[n // 2 if percent == 50 else math.ceil(n * percent / 100) - 1])
