"""The messages between rank 0 and the other ranks of a diagnosis: a task, the end, and the readings of a rank."""

import numpy as np

from ringscope.bench.pairs.meter import Reading, Task
from ringscope.bench.pairs.rates import Measured
from ringscope.engine.base import Array

ORDER_TAG = 1
READY_TAG = 3
REPORT_TAG = 10_000  # and the number of the order
PAIR_TAG = 100_000  # and the number of the order
_END, _MEASURE = 0, 1
_ORDER_WORDS, _READING_WORDS = 7, 6


def ready() -> Array:
    """Return the message, or memory for it, that a rank is ready for orders."""
    return np.ones(1, np.int64)


def empty_order() -> Array:
    """Return memory for an order to a rank."""
    return np.zeros(_ORDER_WORDS, np.int64)


def order(task: Task) -> Array:
    """Return the order to measure a pair."""
    milliseconds = round(task.seconds * 1e3)
    words = [_MEASURE, task.number, task.peer, int(task.is_first), milliseconds, task.asker, int(task.leads)]
    return np.array(words, np.int64)


def end_order(is_clean: bool) -> Array:
    """Return the order to end; ``is_clean``: no message is left under way anywhere."""
    return np.array([_END, int(is_clean), 0, 0, 0, 0, 0], np.int64)


def task_of(words: Array) -> Task | None:
    """Return the task of an order; None for the end."""
    kind, number, peer, is_first, milliseconds, asker, leads = map(int, words)
    return None if kind == _END else task(number, peer, bool(is_first), milliseconds / 1e3, asker, bool(leads))


def task(number: int, peer: int, is_first: bool, seconds: float, asker: int = 0, leads: bool = False) -> Task:
    """Return the task of a rank by the order of this number."""
    return Task(number, peer, is_first, PAIR_TAG + number, seconds, asker, leads)


def order_to_peer(led: Task, leader: int) -> Array:
    """Return the order that the leader of a pair gives to the other rank."""
    return order(task(led.number, leader, not led.is_first, led.seconds, leader))


def is_clean(words: Array) -> bool:
    """Return whether an order to end says that no message is under way."""
    return bool(words[1])


def empty_report() -> Array:
    """Return memory for a rank's report: its own reading, and that of the peer that it leads."""
    return np.zeros(2 * _READING_WORDS, np.float64)


def report(own: Reading | None, of_peer: Reading | None = None) -> Array:
    """Return what a rank measured, as numbers; None: the other rank fell silent."""
    return np.array([*_numbers(own), *_numbers(of_peer)], np.float64)


def readings_of(numbers: Array) -> tuple[Reading | None, Reading | None]:
    """Return what a rank measured, and what the peer that it led measured."""
    return _reading(numbers[:_READING_WORDS]), _reading(numbers[_READING_WORDS:])


def _numbers(reading: Reading | None) -> list[float]:
    if reading is None:
        return [0.0] * _READING_WORDS
    rate = reading.rate
    return [1, rate.low, rate.high, rate.spread, rate.messages, reading.latency_us or 0]


def _reading(numbers: Array) -> Reading | None:
    measured, low, high, spread, messages, latency_us = map(float, numbers)
    if not measured:
        return None
    return Reading(Measured(low, high, spread, int(messages)), latency_us or None)
