"""The interval of a rate that a machine reaches, by ranks of its measurements. Pure."""

from collections.abc import Sequence
from math import exp, lgamma, log, log1p
from typing import NamedTuple

REACHED = 0.8  # quantile: other work lowers single measurements, and the fastest fifth shows what the machine can do
_TAIL = 0.025  # probability at each end of the interval
FEWEST = 17  # with fewer, even the largest value may lie below the quantile with more than 2.5 %


class Interval(NamedTuple):
    """An interval that holds the quantile of a rate with 95 %."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Return the middle of the interval."""
        return (self.low + self.high) / 2


def reached(rates: Sequence[float], quantile: float = REACHED) -> Interval | None:
    """Return the interval of the quantile; None if there are too few rates for one.

    The number of rates below the quantile is binomial, whatever their distribution is.
    """
    count = len(rates)
    if count < FEWEST:
        return None
    ordered = sorted(rates)
    low, high, below = 0, count - 1, 0.0
    for position in range(count):
        # the probability that at most `position` rates lie below the quantile
        below += exp(_log_ways(count, position) + position * log(quantile) + (count - position) * log1p(-quantile))
        if below <= _TAIL:
            low = position + 1
        if below >= 1 - _TAIL:
            high = position
            break
    return Interval(ordered[min(low, count - 1)], ordered[high])


def _log_ways(count: int, position: int) -> float:
    """Return the logarithm of the binomial coefficient, which is no float itself from a thousand rates on."""
    return lgamma(count + 1) - lgamma(position + 1) - lgamma(count - position + 1)


def hull(intervals: Sequence[Interval]) -> Interval:
    """Return the smallest interval that holds all of them."""
    return Interval(min(one.low for one in intervals), max(one.high for one in intervals))
