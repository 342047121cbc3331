"""Times that were measured in the same situation, at sizes within a factor of four. Pure.

Between two measured sizes the times are interpolated on logarithmic axes.
"""

from collections.abc import Mapping, Sequence
from math import log

from ringscope.choice.situation import Choice, Situation, ratio
from ringscope.contracts.tuning import Key, Table
from ringscope.contracts.words.devices import carrier
from ringscope.contracts.words.units import format_size

_REACH = 4.0
_CLOSE = 1.25  # ratio of sizes whose times are nearly proportional


class Measured:
    """The curves of one table."""

    def __init__(self, table: Table) -> None:
        self._curves: dict[Key, dict[tuple[str, str], Mapping[int, float]]] = {}
        for curve in table.curves:
            self._curves.setdefault(curve.key, {})[curve.transport, curve.algorithm] = curve.times_us

    def choose(self, situation: Situation, size_bytes: int, names: Sequence[str]) -> Choice | None:
        """Return the fastest measured algorithm; None if there are not two to compare."""
        near, times_us = self._near(situation, size_bytes, names)
        return Choice.fastest("measured", times_us, f"{_at(near, size_bytes)} (medians)") if times_us else None

    def fastest_first(self, situation: Situation, size_bytes: int, names: Sequence[str]) -> list[str]:
        """Return the algorithms that it compares, fastest first."""
        _, times_us = self._near(situation, size_bytes, names)
        return sorted(times_us, key=lambda name: times_us[name])

    def time_us(self, situation: Situation, size_bytes: int, name: str) -> float | None:
        """Return the measured time of one algorithm: at a size that is close, or interpolated between two sizes.

        None if no such size was measured.
        """
        curve = self._curves.get(situation.key, {}).get((carrier(name, situation.transport), name), {})
        nearest = min(curve, key=lambda size: ratio(size, size_bytes), default=None)
        if nearest is None or not curve[nearest]:
            return None
        if nearest == size_bytes:
            return curve[nearest]
        below = max((size for size in curve if size < size_bytes), default=None)
        above = min((size for size in curve if size > size_bytes), default=None)
        if below and above and max(ratio(below, size_bytes), ratio(above, size_bytes)) <= _REACH:
            return _interpolated(curve, (below, above), size_bytes)
        return curve[nearest] * size_bytes / nearest if ratio(nearest, size_bytes) <= _CLOSE else None

    def _near(
        self, situation: Situation, size_bytes: int, names: Sequence[str]
    ) -> tuple[Sequence[int], dict[str, float]]:
        """Return the one or two nearest sizes with the times of at least two algorithms; empty if there are not two."""
        curves = self._curves.get(situation.key, {})
        keys = {name: (carrier(name, situation.transport), name) for name in names}
        times = {name: curves[key] for name, key in keys.items() if key in curves}
        sizes = {size for one in times for size in times[one] if sum(size in other for other in times.values()) > 1}
        below = max((size for size in sizes if size <= size_bytes), default=None)
        above = min((size for size in sizes if size >= size_bytes), default=None)
        near = sorted({size for size in (below, above) if size is not None and ratio(size, size_bytes) <= _REACH})
        both = [name for name, curve in times.items() if all(size in curve for size in near)]
        if len(both) < 2:  # each size has two algorithms, but different ones
            near = sorted(near, key=lambda size: ratio(size, size_bytes))[:1]
            both = [name for name, curve in times.items() if all(size in curve for size in near)]
        return near, {name: _interpolated(times[name], near, size_bytes) for name in both if near}


def _at(near: Sequence[int], size_bytes: int) -> str:
    if len(near) == 2:
        return f" between {format_size(near[0])} and {format_size(near[1])}"
    nearest = "" if near[0] == size_bytes else ", the nearest size"
    return f" at {format_size(near[0])}{nearest}"


def _interpolated(times_us: Mapping[int, float], near: Sequence[int], size_bytes: int) -> float:
    first, last = near[0], near[-1]
    if first == last:
        return times_us[first]
    share = log(size_bytes / first) / log(last / first)
    return float(times_us[first] ** (1 - share) * times_us[last] ** share)
