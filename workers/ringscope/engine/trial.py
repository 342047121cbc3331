"""Trials of algorithms that were not measured: the cost model is only an estimate, a few calls are evidence.

A trial has rounds, so that many algorithms fit into the time of a warm-up. First all are timed briefly, one after
another, in two passes, so that a short disturbance does not eliminate a good one. Then the fastest few are timed in
turns, as in a sweep, so that a change of the machine's speed affects all equally. Then the closest ones are timed for
the same time again, because a few blocks cannot distinguish them. A block is a series of calls, as in normal use,
after all ranks have met. The time of a block is the slowest rank's. The time of the fastest algorithm is the midmean
over its blocks; the others have that time multiplied by their ratio to it, turn by turn (``judging.rank_tests``), as
in a verdict: what disturbs a turn disturbs all of them. Ranks that share cores change cores from turn to turn
(``core_rotation``). Over a slow link fewer blocks are timed, with at least one call in each round.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ringscope.engine.base import Array, Plan
from ringscope.judging.rank_tests import paired

FINALISTS = 4
_CLOSE = 1.25  # multiple of the fastest time
_SHORT_US = 50_000.0  # a longer call hardly depends on what ran before it or on a short disturbance


class _Effort(NamedTuple):
    """Number of blocks timed per algorithm: in each pass of the first round, and in each of the other two rounds."""

    first_turns: int
    turns: int


# Keyed by the largest message size: the shorter the message, the more its time depends on other load on the core.
_EFFORTS = {64 << 10: _Effort(3, 15), 4 << 20: _Effort(2, 11)}
_LEAST = _Effort(1, 9)
_CALLS, _BLOCK_US = 200, 2_000.0  # most calls of a block
# calls one after another: a schedule in small steps begins a call while other ranks still end the previous one
_LEAST_CALLS = 2
_MOST_US = 600_000.0  # approximate time of an algorithm in a round
_Prepare = Callable[[str], Plan]


class Ranks(Protocol):
    """The ranks of a trial."""

    def maximum(self, values: Array) -> Array:
        """Return the elementwise maximum over all ranks (collective)."""

    def barrier(self) -> None:
        """Wait for all ranks (collective)."""

    def reseat(self, turn: int) -> None:
        """Move this rank to its core for this turn, if cores are shared."""


def tried(names: Sequence[str], size_bytes: int, prepare: _Prepare, ranks: Ranks) -> dict[str, float]:
    """Return the times of the finalists in microseconds, equal on every rank (collective).

    Args: names: the candidates, the likeliest first. size_bytes: the size of the message. prepare: returns a plan for
    an algorithm (collective). ranks: all ranks.
    """
    effort = next((effort for most_bytes, effort in _EFFORTS.items() if size_bytes <= most_bytes), _LEAST)
    turns = range(effort.first_turns)
    if len(names) > FINALISTS:
        first = _pass(names, turns, prepare, ranks)
        if min(blocks.min() for blocks in first) < _SHORT_US:
            others = range(len(turns), 2 * len(turns))
            first = [np.concatenate(both) for both in zip(first, _pass(names, others, prepare, ranks), strict=True)]
        # Half of the blocks may have been disturbed: with an even number, take the lower of the two middle ones.
        middle = [np.percentile(blocks, 50, method="lower") for blocks in first]
        names = [names[place] for place in np.argsort(middle, kind="stable")[:FINALISTS]]
    blocks = dict(zip(names, _heat(names, range(effort.turns), prepare, ranks), strict=True))
    found = _times(blocks)
    best_us = min(found.values())
    close = [name for name, time_us in found.items() if time_us <= _CLOSE * best_us]
    if len(close) > 1 and best_us < _SHORT_US:
        more = _heat(close, range(effort.turns, 2 * effort.turns), prepare, ranks)
        found |= _times({name: np.array([*blocks[name], *its]) for name, its in zip(close, more, strict=True)})
    return found


def _times(blocks: Mapping[str, Array]) -> dict[str, float]:
    """Return the times of algorithms whose blocks were timed in turns."""
    base = min(blocks, key=lambda name: midmean(blocks[name]))
    base_us, turns_us = midmean(blocks[base]), (tuple(blocks[base].tolist()),)
    return {name: base_us * paired(turns_us, (tuple(its.tolist()),)).value for name, its in blocks.items()}


def midmean(times: Sequence[float] | Array) -> float:
    """Return the mean of the middle half of the values (Tukey 1977), at least one: outliers do not count.

    Ranks that share cores run at two speeds; both count in this mean, but the median of a few blocks would show one of
    them by chance.
    """
    aside = len(times) // 4
    return float(np.mean(np.sort(times)[aside : len(times) - aside]))


def _pass(names: Sequence[str], turns: range, prepare: _Prepare, ranks: Ranks) -> list[Array]:
    """Time one after another, so that only one at a time needs memory."""
    return [_heat([name], turns, prepare, ranks)[0] for name in names]


def _heat(names: Sequence[str], turns: range, prepare: _Prepare, ranks: Ranks) -> Array:
    """Time a series of blocks of each algorithm, in turns; one or two calls before determine how many fit the time."""
    plans = [prepare(name) for name in names]
    longest_us = _longest_us(plans, ranks)
    if longest_us < _MOST_US:
        longest_us = _longest_us(plans, ranks)  # a library's first call prepares data that later calls reuse
    turns = turns[: max(1, int(_MOST_US / longest_us))]
    is_short = longest_us < _SHORT_US
    calls = min(_CALLS, max(_LEAST_CALLS if is_short else 1, int(_BLOCK_US / longest_us)))
    is_warmed = len(plans) > 1 and is_short
    times_us = np.array([[_block_us(plan, calls, turn, ranks, is_warmed) for plan in plans] for turn in turns])
    for plan in plans:
        plan.free()
    return ranks.maximum(times_us).T


def _longest_us(plans: Sequence[Plan], ranks: Ranks) -> float:
    """Time a call of each."""
    ranks.barrier()
    return float(max(ranks.maximum(np.array([_time_us(plan, 1) for plan in plans]))))


def _block_us(plan: Plan, calls: int, turn: int, ranks: Ranks, is_warmed: bool) -> float:
    """``is_warmed``: after an untimed call, because another algorithm has changed caches and cores."""
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
