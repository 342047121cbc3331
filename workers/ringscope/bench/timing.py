"""Timed blocks: one clock reading per iteration, statistics afterwards."""

import math
import time
from collections.abc import Callable, Iterable, MutableSequence, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ringscope.engine.base import Array
from ringscope.engine.positions import ITERATIONS

Counter = memoryview | MutableSequence[int]  # a slot of ``ringscope.engine.positions``

_MOST_ROUNDS = 5
_FEWEST_ITERATIONS = 4  # of a block: what the barrier before it costs then stays small


@dataclass(frozen=True, slots=True)
class Block:
    """Iterations one after another: when each one started (wall clock, ns) and how long it took."""

    starts_ns: Array
    durations_us: Array

    @property
    def mean_us(self) -> float:
        """Mean duration of an iteration."""
        return float(self.durations_us.mean())


def timed_block(calls: Iterable[Callable[[], None]], iterations: int, position: Counter | None = None) -> Block:
    """Run one of ``calls`` per iteration, back to back; a clock reading and a store (about 80 ns) lie in between.

    ``position[ITERATIONS]`` goes on counting.
    """
    clock, done = time.perf_counter_ns, [0] * (ITERATIONS + 1) if position is None else position
    before = done[ITERATIONS]
    stamps = [0] * (iterations + 1)
    start_ns = time.time_ns()
    stamps[0] = clock()
    for i, call in enumerate(islice(calls, iterations), 1):
        call()
        stamps[i] = clock()
        done[ITERATIONS] = before + i
    stamps_ns = np.array(stamps, np.int64)
    return Block(start_ns + stamps_ns[:-1] - stamps_ns[0], np.diff(stamps_ns) / 1e3)


def spaced_block(
    calls: Iterable[Callable[[], None]], iterations: int, between: Callable[[], None], position: Counter | None = None
) -> Block:
    """The same with ``between`` after every iteration, which is not timed."""
    clock, done = time.perf_counter_ns, [0] * (ITERATIONS + 1) if position is None else position
    stamps = [(0, 0)] * iterations
    start_ns, origin = time.time_ns(), clock()
    for i, call in enumerate(islice(calls, iterations)):
        begin = clock()
        call()
        stamps[i] = (begin, clock())
        done[ITERATIONS] += 1
        between()
    begins, ends = np.array(stamps, np.int64).T
    return Block(start_ns + begins - origin, (ends - begins) / 1e3)


def joined(blocks: Sequence[Block]) -> Block:
    """The iterations of several blocks as one."""
    starts, durations = zip(*((block.starts_ns, block.durations_us) for block in blocks), strict=True)
    return Block(np.concatenate(starts), np.concatenate(durations))


def rounds(iterations: int) -> list[int]:
    """The iterations of each round in which the compared calls take turns: a few, and no block too short to time."""
    count = max(1, min(_MOST_ROUNDS, iterations // _FEWEST_ITERATIONS))
    return [iterations // count + (i < iterations % count) for i in range(count)]


def spread(durations_us: Array) -> dict[str, float]:
    """What a row says about its iterations, by the names of ``record.Measurement``; by nccl-tests' rules."""
    ordered = sorted(durations_us.tolist())
    mean_us = sum(ordered) / len(ordered)
    stdev_us = math.sqrt(sum((value - mean_us) ** 2 for value in ordered) / len(ordered))
    return {
        "min_us": ordered[0],
        "mean_us": mean_us,
        "p10_us": percentile(ordered, 10),
        "p50_us": percentile(ordered, 50),
        "p90_us": percentile(ordered, 90),
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
