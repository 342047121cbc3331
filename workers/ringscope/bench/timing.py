"""Timed blocks: one clock reading per iteration, statistics afterwards."""

import math
import time
from collections.abc import Callable, Iterable, MutableSequence, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, repeat
from statistics import stdev
from typing import NamedTuple

import numpy as np

from ringscope.contracts.benchmark import FEWEST_BATCHES
from ringscope.engine.base import Array, DeviceClock
from ringscope.engine.positions import ITERATIONS
from ringscope.engine.step_ring import BEGIN_NS, PLACES, StepRing
from ringscope.judging.intervals import sure_of

Counter = memoryview | MutableSequence[int]  # a slot of ``ringscope.engine.positions``


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive iterations: when each one started (wall clock, ns) and how long it took.

    ``device_us`` is the time of each by a GPU's clock, the mean of its block; None if it was not measured.
    """

    starts_ns: Array
    durations_us: Array
    device_us: Array | None = None

    @property
    def mean_us(self) -> float:
        """Mean duration of an iteration."""
        return float(self.durations_us.mean())


class Notes(NamedTuple):
    """The shared memory in which a block's iterations are recorded for outside observers while they run."""

    position: Counter
    ring: StepRing
    text: bytes  # describes the timed operation, see ``step_ring.described``


@cache
def nowhere() -> Notes:
    """Return notes that no observer reads."""
    return Notes([0] * (ITERATIONS + 1), StepRing.opened(None, 0), b"{}")


def timed_block(calls: Iterable[Callable[[], None]], iterations: int, notes: Notes | None = None) -> Block:
    """Run one of ``calls`` per iteration, back to back, with a clock reading and three stores (about 150 ns) in
    between.

    The count of the notes continues, and their ring records the end of each iteration.
    """
    position, ring, text = notes or nowhere()
    clock, ends = time.perf_counter_ns, ring.ends
    before = position[ITERATIONS]
    announced = ring.announce(before, iterations, text, is_spaced=False)
    stamps = [0] * (iterations + 1)
    start_ns = time.time_ns()
    announced[BEGIN_NS] = stamps[0] = clock()
    for i, call in enumerate(islice(calls, iterations), 1):
        call()
        stamps[i] = ends[(before + i) & PLACES] = clock()
        position[ITERATIONS] = before + i
    stamps_ns = np.array(stamps, np.int64)
    return Block(start_ns + stamps_ns[:-1] - stamps_ns[0], np.diff(stamps_ns) / 1e3)


def spaced_block(
    calls: Iterable[Callable[[], None]], iterations: int, between: Callable[[], None], notes: Notes | None = None
) -> Block:
    """Time a block with the untimed ``between`` after every iteration."""
    position, ring, text = notes or nowhere()
    clock, begins, ends = time.perf_counter_ns, ring.begins, ring.ends
    before = position[ITERATIONS]
    ring.announce(before, iterations, text, is_spaced=True)
    stamps = [(0, 0)] * iterations
    start_ns, origin = time.time_ns(), clock()
    for i, call in enumerate(islice(calls, iterations)):
        begin = clock()
        call()
        stamps[i] = (begin, clock())
        done = before + i + 1
        begins[done & PLACES], ends[done & PLACES] = stamps[i]
        position[ITERATIONS] = done
        between()
    stamps_ns = np.array(stamps, np.int64)
    return Block(start_ns + stamps_ns[:, 0] - origin, (stamps_ns[:, 1] - stamps_ns[:, 0]) / 1e3)


def enqueued_block(
    calls: Iterable[Callable[[], None]],
    iterations: int,
    wait: Callable[[], None],
    at_once: int,
    clock: DeviceClock,
    notes: Notes | None = None,
) -> Block:
    """Enqueue all iterations and wait once, as nccl-tests does: each iteration has the mean time of the block.

    Of more than ``at_once`` iterations, as many are waited for together, so that the deadline of ``wait`` suffices.
    What is noted in between is not timed. ``clock`` times the same operations on the GPU.
    """
    position, ring, text = notes or nowhere()
    now_ns, ends = time.perf_counter_ns, ring.ends
    before = position[ITERATIONS]
    announced = ring.announce(before, iterations, text, is_spaced=False)
    start_ns, remaining, parts, done = time.time_ns(), iter(calls), list[Block](), 0
    announced[BEGIN_NS] = origin_ns = now_ns()
    while done < iterations:
        count = min(at_once, iterations - done)
        begin_ns = now_ns()
        clock.begin()
        for call in islice(remaining, count):
            call()
        clock.end()
        wait()
        stamps_ns = np.linspace(begin_ns, now_ns(), count + 1)
        for place, end_ns in enumerate(stamps_ns[1:].tolist(), before + done + 1):
            ends[place & PLACES] = round(end_ns)
        done += count
        position[ITERATIONS] = before + done
        starts_ns = start_ns + np.rint(stamps_ns[:-1] - origin_ns).astype(np.int64)
        durations_us = np.full(count, (stamps_ns[-1] - stamps_ns[0]) / count / 1e3)
        parts.append(Block(starts_ns, durations_us, np.full(count, clock.elapsed_us() / count)))
    return joined(parts)


def graph_block(
    launch: Callable[[], None],
    launches: int,
    iterations: int,
    wait: Callable[[], None],
    at_once: int,
    clock: DeviceClock,
    notes: Notes | None = None,
) -> Block:
    """Launch a graph of all iterations several times: each iteration has the mean time of all launches.

    For outside observers one launch is one iteration; ``at_once`` launches are waited for together.
    """
    block = enqueued_block(repeat(launch), launches, wait, at_once, clock, notes)
    each_us = block.mean_us / iterations
    starts_ns = block.starts_ns[0] + np.rint(np.arange(iterations) * each_us * 1e3).astype(np.int64)
    device_us = None if block.device_us is None else np.full(iterations, block.device_us.mean() / iterations)
    return Block(starts_ns, np.full(iterations, each_us), device_us)


def joined(blocks: Sequence[Block]) -> Block:
    """Join the iterations of several blocks."""
    starts, durations = zip(*((block.starts_ns, block.durations_us) for block in blocks), strict=True)
    on_device = [block.device_us for block in blocks if block.device_us is not None]
    is_whole = len(on_device) == len(blocks)
    return Block(np.concatenate(starts), np.concatenate(durations), np.concatenate(on_device) if is_whole else None)


def spread(durations_us: Array) -> dict[str, float]:
    """Return the statistics of a row's iterations by the field names of ``record.Measurement``; rules of nccl-tests."""
    ordered = sorted(durations_us.tolist())
    mean_us = sum(ordered) / len(ordered)
    stdev_us = math.sqrt(sum((value - mean_us) ** 2 for value in ordered) / len(ordered))
    return {
        "min_us": ordered[0],
        "mean_us": mean_us,
        "p5_us": percentile(ordered, 5),
        "p10_us": percentile(ordered, 10),
        "p50_us": percentile(ordered, 50),
        "p90_us": percentile(ordered, 90),
        "p95_us": percentile(ordered, 95),
        "p99_us": percentile(ordered, 99),
        "max_us": ordered[-1],
        "stdev_us": stdev_us,
        "cv_percent": 100 * stdev_us / mean_us if mean_us else 0.0,
    }


def mean_interval(batches_us: Sequence[Array]) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of all iterations as (low, high); None with fewer than FEWEST_BATCHES.

    Each batch of iterations counts as one value: its mean contains how iterations differ, and how the machine's speed
    changes from batch to batch. These are batch means (Law, Simulation Modeling and Analysis, 9.5.3), with Student's
    quantile as the batches are few.

    Args:
        batches_us: the times of each batch, in the order in which they were measured.
    """
    count = len(batches_us)
    if count < FEWEST_BATCHES:
        return None
    means_us = [float(one.mean()) for one in batches_us]
    mean_us = float(np.average(means_us, weights=[len(one) for one in batches_us]))
    reach_us = sure_of(count) * stdev(means_us) / math.sqrt(count)
    return max(0.0, mean_us - reach_us), mean_us + reach_us


def percentile(ordered: Sequence[float], percent: int) -> float:
    """Return a percentile by nccl-tests' rule on sorted values: the median is entry n/2, others the nearest rank
    ceil(n*P/100)-1.
    """
    n = len(ordered)
    return float(ordered[n // 2 if percent == 50 else math.ceil(n * percent / 100) - 1])
