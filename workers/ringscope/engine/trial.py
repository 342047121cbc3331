"""Trying algorithms where nothing is measured yet: a model is a guess about this machine, a few calls are none.

In two heats, so that many can be tried in the time of a warm-up: all of them once, one after another; then the fastest
few in turns, as in a sweep, so that a change of the machine's speed hits all alike. What is timed is a block of calls
in a row: the first of them finds caches and cores as another algorithm left them. Of each block the slowest rank
counts, and of an algorithm's blocks the median.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np

from ringscope.engine.base import Array, Plan

FINALISTS = 3
_TURNS = 5
_CALLS = {64 << 10: 20, 4 << 20: 5}  # in a block, of messages up to so many bytes; of larger ones the fewest
_FEWEST_CALLS = 1
_Prepare = Callable[[str], Plan]
_Slowest = Callable[[Array], Array]


def tried(
    names: Sequence[str], size_bytes: int, prepare: _Prepare, slowest: _Slowest, barrier: Callable[[], None]
) -> dict[str, float]:
    """The times of the finalists in microseconds, alike on every rank (collective).

    Args:
        names: what is tried, the likeliest first.
        size_bytes: of the message.
        prepare: a plan for an algorithm (collective).
        slowest: element by element the largest value of any rank (collective).
        barrier: all ranks wait for each other.
    """
    calls = next((calls for most_bytes, calls in _CALLS.items() if size_bytes <= most_bytes), _FEWEST_CALLS)
    if len(names) > FINALISTS:
        times_us = {name: _heat([name], 1, calls, prepare, slowest, barrier)[name] for name in names}
        names = sorted(names, key=times_us.__getitem__)[:FINALISTS]
    return _heat(names, _TURNS, calls, prepare, slowest, barrier)


def _heat(
    names: Sequence[str], turns: int, calls: int, prepare: _Prepare, slowest: _Slowest, barrier: Callable[[], None]
) -> dict[str, float]:
    """In turns, after an untimed call of each."""
    plans = [prepare(name) for name in names]
    for plan in plans:
        plan.run()
    barrier()
    times_us = np.array([[_time_us(plan, calls) for plan in plans] for _ in range(turns)])
    for plan in plans:
        plan.free()
    return dict(zip(names, np.median(slowest(times_us), axis=0).tolist(), strict=True))


def _time_us(plan: Plan, calls: int) -> float:
    begin_ns = time.perf_counter_ns()
    for _ in range(calls):
        plan.run()
    return (time.perf_counter_ns() - begin_ns) / 1e3 / calls
