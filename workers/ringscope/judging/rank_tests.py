"""Rank tests of two series of times: how many times longer one takes, with an interval, and how likely by chance. Pure.

Ranks hold where a few stalls ruin means: however long a stall is, it is one rank. Times are compared by their ratio:
both estimates are of Hodges and Lehmann (1963), on logarithms, with the interval that belongs to the test (Hollander,
Wolfe and Chicken, Nonparametric Statistical Methods, 3.2 and 4.2).
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from math import erfc, exp, hypot, log, sqrt
from statistics import median, stdev
from typing import NamedTuple

from ringscope.judging.intervals import Error

_SURE = 0.95
_NORMAL = 1.959964
_EXACT_VALUES = 50  # above this the normal approximation is within 0.1 % of the chances that matter

Cycles = tuple[tuple[float, ...], ...]  # the rounds of each cycle


class Ratio(NamedTuple):
    """Ratio of two times, the second over the first; above 1 the first is faster."""

    value: float
    low: float | None  # lower end of its 95 % interval; None: not known, or too few values for one
    high: float | None
    chance: float = 1.0  # probability that equals differ by as much, to either side
    rounds: int = 0  # rounds of whose pairs it is the median; 0: it is a ratio of means

    @property
    def is_clear(self) -> bool:
        """Return whether the interval excludes 1."""
        return self.low is not None and self.high is not None and not self.low <= 1.0 <= self.high


@lru_cache(maxsize=4096)  # a verdict is made anew for each row, and most are as before
def paired(first_us: Cycles, second_us: Cycles) -> Ratio:
    """Compare times that belong together in pairs: the signed-rank test of Wilcoxon (1945).

    Args:
        first_us: times in microseconds, above 0, cycle by cycle.
        second_us: as many, each measured right before or after the one in ``first_us``.
    """
    cycles = [[log(b / a) for a, b in zip(*both, strict=True)] for both in zip(first_us, second_us, strict=True)]
    differences = list(chain(*cycles))
    count = len(differences)
    means = sorted((differences[i] + differences[j]) / 2 for i in range(count) for j in range(i, count))
    ranked = _ranks([abs(value) for value in differences])
    positive = sum(rank for value, rank in zip(differences, ranked, strict=True) if value > 0)
    positive += sum(rank for value, rank in zip(differences, ranked, strict=True) if value == 0) / 2
    total = count * (count + 1) // 2
    ways = _signed_rank_ways(count) if count <= _EXACT_VALUES else None
    spread = sqrt(count * (count + 1) * (2 * count + 1) / 24)
    ratio = _ratio_of(means, min(positive, total - positive), total, ways, spread)
    errors = [_error([median(cycle) for cycle in cycles])] if len(cycles) > 1 else []
    return _with_cycles(ratio, errors)._replace(rounds=count)


@lru_cache(maxsize=4096)
def unpaired(first_us: Cycles, second_us: Cycles) -> Ratio:
    """Compare times that were measured independently: the test of Mann and Whitney (1947).

    Args:
        first_us: times in microseconds, above 0, cycle by cycle.
        second_us: any number of them.
    """
    cycles = [[[log(value) for value in cycle] for cycle in series] for series in (first_us, second_us)]
    first, second = (list(chain(*series)) for series in cycles)
    differences = sorted(b - a for a in first for b in second)
    above = sum(value > 0 for value in differences) + sum(value == 0 for value in differences) / 2
    total = len(differences)
    is_exact = max(len(first), len(second)) <= _EXACT_VALUES
    ways = _rank_sum_ways(len(first), len(second)) if is_exact else None
    spread = sqrt(total * (len(first) + len(second) + 1) / 12)
    ratio = _ratio_of(differences, min(above, total - above), total, ways, spread)
    return _with_cycles(ratio, [_error(list(map(median, series))) for series in cycles if len(series) > 1])


def _error(medians: list[float]) -> Error:
    return Error(stdev(medians) / sqrt(len(medians)), len(medians))


def _with_cycles(ratio: Ratio, errors: Sequence[Error]) -> Ratio:
    """Widen the interval to that of the cycles' own ratios.

    Each cycle plans its operations anew, in other memory: on a busy machine one in thirty is up to 1.7 times slower for
    all of a cycle, which the rounds of that cycle cannot show.
    """
    if ratio.low is None or ratio.high is None or not errors:
        return ratio
    reach = exp(hypot(*(error.reach for error in errors)))
    return ratio._replace(low=min(ratio.low, ratio.value / reach), high=max(ratio.high, ratio.value * reach))


def _ratio_of(
    ordered: Sequence[float], statistic: float, total: int, ways: Sequence[int] | None, spread: float
) -> Ratio:
    """Return the median of ``ordered``, the interval that cuts as many off at both ends, and the chance.

    Args:
        ordered: log ratios that the statistic counts, ascending.
        statistic: the smaller of both counts of the test, between 0 and ``total`` / 2.
        ways: in how many ways each statistic from 0 on comes about if both are equal; None: the normal approximation.
        spread: the statistic's standard deviation if both are equal.
    """
    centre = exp(median(ordered))
    if ways is None:
        cut = int(total / 2 - _NORMAL * spread)
        chance = erfc(max(0.0, total / 2 - statistic - 0.5) / spread / sqrt(2))
    else:
        every = sum(ways)
        chance = min(1.0, 2 * sum(ways[: int(statistic) + 1]) / every)
        cut, below = 0, 0
        while 2 * (below + ways[cut]) <= (1 - _SURE) * every:
            below += ways[cut]
            cut += 1
    if cut < 1:
        return Ratio(centre, None, None, chance)
    return Ratio(centre, exp(ordered[cut - 1]), exp(ordered[-cut]), chance)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return each value's rank from 1; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for place in order[at:end]:
            found[place] = (at + 1 + end) / 2
        at = end
    return found


@lru_cache(maxsize=64)
def _signed_rank_ways(count: int) -> list[int]:
    """Return in how many of the 2**count choices of signs the positive ranks sum up to 0, 1, 2 …"""
    ways = [1] + [0] * (count * (count + 1) // 2)
    for rank in range(1, count + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return ways


@lru_cache(maxsize=64)
def _rank_sum_ways(first: int, second: int) -> list[int]:
    """Return in how many orders of both series 0, 1, 2 … pairs have the second's value above the first's.

    These are the coefficients of the Gaussian binomial: the product of (1 - q^(second + i)) / (1 - q^i) for i to first.
    """
    ways = [1] + [0] * (first * second)
    for i in range(1, first + 1):
        for total in range(len(ways) - 1, second + i - 1, -1):
            ways[total] -= ways[total - second - i]
        for total in range(i, len(ways)):
            ways[total] += ways[total - i]
    return ways
