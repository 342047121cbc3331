"""The bandwidth of a link from the times of its messages: the median's interval by ranks. Pure."""

from collections.abc import Sequence
from math import comb
from statistics import median
from typing import NamedTuple

FEWEST = 6  # the smallest and the largest of six hold the median in 97 % of all cases
_SURE = 0.95
_QUARTILES_OF_NORMAL = 1.349  # distance between the quartiles, in standard deviations
_SHORTEST_SECONDS = 1e-9  # two messages may be noticed at the same moment


class Measured(NamedTuple):
    """Bandwidth in bytes per second: the 95 % interval of the median, and the relative deviation of single messages."""

    low: float
    high: float
    spread: float
    messages: int

    @property
    def width(self) -> float:
        """Return the width of the interval, relative to its middle."""
        return 2 * (self.high - self.low) / (self.high + self.low)


def measured(size_bytes: int, seconds: Sequence[float]) -> Measured:
    """Return the bandwidth of messages that took so long; needs at least FEWEST of them."""
    if len(seconds) < FEWEST:
        raise ValueError(f"{len(seconds)} messages are too few for an interval")
    rates = sorted(size_bytes / max(each, _SHORTEST_SECONDS) for each in seconds)
    outside = _outside(len(rates))
    quarter = len(rates) // 4
    spread = (rates[-1 - quarter] - rates[quarter]) / _QUARTILES_OF_NORMAL / median(rates)
    return Measured(rates[outside], rates[-1 - outside], spread, len(rates))


def _outside(count: int) -> int:
    """Return how many values may be left out at each end so that the rest holds the median with 95 %.

    The number of values below the median is binomial with a probability of a half.
    """
    left_out, tail = 0, 1 / 2**count
    while 1 - 2 * (tail := tail + comb(count, left_out + 1) / 2**count) >= _SURE:
        left_out += 1
    return left_out
