"""Trials of algorithms where nothing was measured: the cost model is only an estimate, a few calls are evidence.

A trial has rounds, so that many algorithms fit into the time of a warm-up. First all are timed shortly, one after
another, and a moment later once more, so that a short disturbance does not drop a good one. Then the fastest few are
timed in turns, as in a sweep, so that a change of the machine's speed affects all equally. Then the close ones are
timed for as long once more, as a few blocks cannot distinguish them. A block is a series of calls, as in normal use,
after all ranks have met. The slowest rank counts in each block, and the midmean over an algorithm's blocks. Ranks that
share cores change cores from turn to turn (``seats``). Over a slow link fewer blocks are timed, with at least one call
in each round.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ringscope.engine.base import Array, Plan

FINALISTS = 4
_CLOSE = 1.25  # times as long as the fastest
_SHORT_US = 50_000.0  # a call that takes longer hardly notices what ran before, or what disturbs for a moment


class _Effort(NamedTuple):
    """Number of blocks timed per algorithm: in each pass of the first round, and in each of the other two rounds."""

    first_turns: int
    turns: int


# By the largest message size: the shorter the message, the more depends on what else used the core.
_EFFORTS = {64 << 10: _Effort(3, 15), 4 << 20: _Effort(2, 11)}
_LEAST = _Effort(1, 9)
_CALLS, _BLOCK_US = 200, 2_000.0  # of a block at most
_LEAST_CALLS = 2  # one after another: a schedule in small steps begins a call while others still end the one before
_MOST_US = 600_000.0  # of an algorithm in a round, about
_Prepare = Callable[[str], Plan]


class Ranks(Protocol):
    """The ranks that try."""

    def maximum(self, values: Array) -> Array:
        """Element by element the largest value of any rank (collective)."""

    def barrier(self) -> None:
        """All wait for each other."""

    def reseat(self, turn: int) -> None:
        """This rank goes to its core of this turn, where cores are shared."""


def tried(names: Sequence[str], size_bytes: int, prepare: _Prepare, ranks: Ranks) -> dict[str, float]:
    """The times of the finalists in microseconds, alike on every rank (collective).

    Args:
        names: the candidates, the likeliest first.
        size_bytes: the size of the message.
        prepare: a plan for an algorithm (collective).
        ranks: all of them.
    """
    effort = next((effort for most_bytes, effort in _EFFORTS.items() if size_bytes <= most_bytes), _LEAST)
    turns = range(effort.first_turns)
    if len(names) > FINALISTS:
        first = _pass(names, turns, prepare, ranks)
        if min(blocks.min() for blocks in first) < _SHORT_US:
            others = range(len(turns), 2 * len(turns))
            first = [np.concatenate(both) for both in zip(first, _pass(names, others, prepare, ranks), strict=True)]
        # Half of an even number of blocks may have been disturbed: the lower one of those in the middle.
        middle = [np.percentile(blocks, 50, method="lower") for blocks in first]
        names = [names[place] for place in np.argsort(middle, kind="stable")[:FINALISTS]]
    blocks = dict(zip(names, _heat(names, range(effort.turns), prepare, ranks), strict=True))
    found = {name: midmean(its) for name, its in blocks.items()}
    best_us = min(found.values())
    close = [name for name, time_us in found.items() if time_us <= _CLOSE * best_us]
    if len(close) > 1 and best_us < _SHORT_US:
        more = _heat(close, range(effort.turns, 2 * effort.turns), prepare, ranks)
        found |= {name: midmean([*blocks[name], *its]) for name, its in zip(close, more, strict=True)}
    return found


def midmean(times: Sequence[float] | Array) -> float:
    """Return the mean of the middle half (Tukey 1977), of at least one value: outliers do not count.

    Ranks that share cores run at two speeds; both count in this mean, but the median of a few blocks is one of them by
    chance.
    """
    aside = len(times) // 4
    return float(np.mean(np.sort(times)[aside : len(times) - aside]))


def _pass(names: Sequence[str], turns: range, prepare: _Prepare, ranks: Ranks) -> list[Array]:
    """One after another, so that only one at a time needs memory."""
    return [_heat([name], turns, prepare, ranks)[0] for name in names]


def _heat(names: Sequence[str], turns: range, prepare: _Prepare, ranks: Ranks) -> Array:
    """Time a series of blocks of each algorithm, in turns; a call or two before decide how many fit the time."""
    plans = [prepare(name) for name in names]
    longest_us = _longest_us(plans, ranks)
    if longest_us < _MOST_US:
        longest_us = _longest_us(plans, ranks)  # a library's first call prepares what later ones have
    turns = turns[: max(1, int(_MOST_US / longest_us))]
    is_short = longest_us < _SHORT_US
    calls = min(_CALLS, max(_LEAST_CALLS if is_short else 1, int(_BLOCK_US / longest_us)))
    is_warmed = len(plans) > 1 and is_short
    times_us = np.array([[_block_us(plan, calls, turn, ranks, is_warmed) for plan in plans] for turn in turns])
    for plan in plans:
        plan.free()
    return ranks.maximum(times_us).T


def _longest_us(plans: Sequence[Plan], ranks: Ranks) -> float:
    """A call of each."""
    ranks.barrier()
    return float(max(ranks.maximum(np.array([_time_us(plan, 1) for plan in plans]))))


def _block_us(plan: Plan, calls: int, turn: int, ranks: Ranks, is_warmed: bool) -> float:
    """``is_warmed``: after an untimed call, as caches and cores are as another algorithm left them."""
    ranks.reseat(turn)
    if is_warmed:
        plan.run()
    ranks.barrier()
    return _time_us(plan, calls)


def _time_us(plan: Plan, calls: int) -> float:
    begin_ns = time.perf_counter_ns()
    for _ in range(calls):
        plan.run()
    return (time.perf_counter_ns() - begin_ns) / 1e3 / calls
