"""Trying algorithms where nothing is measured yet: a model is a guess about this machine, a few calls are none.

In two heats, so that many can be tried in the time of a warm-up: all of them shortly, in a row; then the fastest
few in turns, as in a sweep, so that a change of the machine's speed hits all alike. What is timed is a block of calls
in a row: the first of them finds caches and cores as another algorithm left them. Of each block the slowest rank
counts, and of an algorithm's blocks the median. Over a slow link fewer are timed, at least one call in each heat.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ringscope.engine.base import Array, Plan

FINALISTS = 3


class _Effort(NamedTuple):
    """How many blocks of each algorithm are timed, in the first heat and in the second one, and calls in each."""

    first_turns: int
    turns: int
    calls: int


# Of messages up to so many bytes: the shorter, the more depends on who else had the core.
_EFFORTS = {64 << 10: _Effort(5, 15, 20), 4 << 20: _Effort(3, 7, 5)}
_LEAST = _Effort(1, 5, 1)
_MOST_US = 300_000.0  # of an algorithm in a heat, about; as its first call tells, which may have to open connections
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
    effort = next((effort for most_bytes, effort in _EFFORTS.items() if size_bytes <= most_bytes), _LEAST)
    if len(names) > FINALISTS:
        first = {name: _heat([name], effort.first_turns, effort.calls, prepare, slowest, barrier) for name in names}
        names = sorted(names, key=lambda name: first[name][name])[:FINALISTS]
    return _heat(names, effort.turns, effort.calls, prepare, slowest, barrier)


def _heat(
    names: Sequence[str], turns: int, calls: int, prepare: _Prepare, slowest: _Slowest, barrier: Callable[[], None]
) -> dict[str, float]:
    """In turns, after an untimed call of each, which tells how many more there is time for."""
    plans = [prepare(name) for name in names]
    barrier()
    most = max(1, int(_MOST_US / max(slowest(np.array([_time_us(plan, 1) for plan in plans])))))
    turns, calls = min(turns, most), min(calls, max(1, most // turns))
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
