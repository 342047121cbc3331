"""The messages between rank 0 and the other ranks of a diagnosis: a task, the end, and the readings of a rank."""

import numpy as np

from ringscope.bench.pairs.meter import Reading, Task
from ringscope.bench.pairs.rates import Measured
from ringscope.engine.base import Array

ORDER_TAG = 1
REPORT_TAG = 10_000  # and the number of the round
PAIR_TAG = 100_000  # and the number of the round
_END, _MEASURE = 0, 1


def empty_order() -> Array:
    """Return memory for an order to a rank."""
    return np.zeros(5, np.int64)


def order(task: Task) -> Array:
    """Return the order to measure a pair."""
    words = [_MEASURE, task.round, task.peer, int(task.is_first), round(task.seconds * 1e3)]
    return np.array(words, np.int64)


def end_order(is_clean: bool) -> Array:
    """Return the order to end; ``is_clean``: no message is left under way anywhere."""
    return np.array([_END, int(is_clean), 0, 0, 0], np.int64)


def task_of(words: Array) -> Task | None:
    """Return the task of an order; None for the end."""
    kind, number, peer, is_first, milliseconds = map(int, words)
    return None if kind == _END else task(number, peer, bool(is_first), milliseconds / 1e3)


def task(number: int, peer: int, is_first: bool, seconds: float) -> Task:
    """Return the task of a rank in a round."""
    return Task(number, peer, is_first, PAIR_TAG + number, seconds)


def is_clean(words: Array) -> bool:
    """Return whether an order to end says that no message is under way."""
    return bool(words[1])


def empty_report() -> Array:
    """Return memory for a rank's report."""
    return np.zeros(6, np.float64)


def report(reading: Reading | None) -> Array:
    """Return what a rank measured, as numbers; None: the other rank fell silent."""
    if reading is None:
        return empty_report()
    rate = reading.rate
    return np.array([1, rate.low, rate.high, rate.spread, rate.messages, reading.latency_us or 0], np.float64)


def reading_of(numbers: Array) -> Reading | None:
    """Return what a rank measured."""
    measured, low, high, spread, messages, latency_us = map(float, numbers)
    if not measured:
        return None
    return Reading(Measured(low, high, spread, int(messages)), latency_us or None)
