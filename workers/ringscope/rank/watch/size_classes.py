"""The collectives of a script by name and class of sizes, in little memory however many calls there are.

A class has the sizes from a power of two to the next one. The times of its calls are counted in bins, which are less
than 2 % wide, so that the median is right within 1 %.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate

from ringscope.contracts.training.record import Collectives

_BITS = 7  # the precision of a time in its bin


class _Class:
    """The calls of one class."""

    __slots__ = ("bytes", "calls", "times")

    def __init__(self) -> None:
        self.calls = self.bytes = 0
        self.times: defaultdict[int, int] = defaultdict(int)  # calls by the bin of their time


class SizeClasses:
    """Calls, bytes and times of each collective and class of sizes."""

    def __init__(self) -> None:
        self._classes: defaultdict[tuple[str, int], _Class] = defaultdict(_Class)

    def add(self, name: str, size_bytes: int, took_ns: int | None) -> None:
        """Count a call; None: its time is not known."""
        found = self._classes[name, size_bytes.bit_length()]
        found.calls += 1
        found.bytes += size_bytes
        if took_ns is not None:
            shift = max(0, took_ns.bit_length() - _BITS)
            found.times[(shift << _BITS) + (took_ns >> shift)] += 1

    def record(self, rank: int) -> Collectives:
        """Return what was counted until now, the classes with most bytes first."""
        classes = list(self._classes.items())  # another thread may add one meanwhile
        classes.sort(key=lambda one: (-one[1].bytes, -one[1].calls, one[0]))
        return Collectives(
            rank=rank,
            name=[name for (name, _), _ in classes],
            least_bytes=[1 << (bits - 1) if bits else 0 for (_, bits), _ in classes],
            calls=[one.calls for _, one in classes],
            bytes=[one.bytes for _, one in classes],
            time_us=[_median_us(dict(one.times)) for _, one in classes],
        )


def _median_us(times: dict[int, int]) -> float | None:
    """Return the middle of the bin that has the median; None without times."""
    bins = sorted(times)
    if not bins:
        return None
    half = sum(times.values()) / 2
    until = accumulate(times[one] for one in bins)
    found = next(one for one, calls in zip(bins, until, strict=True) if calls >= half)
    shift, kept = found >> _BITS, found & ((1 << _BITS) - 1)
    return (kept << shift) / 1e3 if not shift else (kept + 0.5) * (1 << shift) / 1e3
