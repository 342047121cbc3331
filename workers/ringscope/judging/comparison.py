"""Comparison of the algorithms of a sweep: their times at each size and placement, and how two of them compare. Pure.

The time of an algorithm at a size and placement is nccl-tests' number: the mean of the timed iterations, over the ranks
as the job's ``average`` says; several cycles count by their mean. Best values and baselines are such means. But a few
stalls ruin a mean, so algorithms are compared by their rounds, in each of which all were timed (``rank_tests``). Rows
without rounds are compared by their means' intervals (``bench.timing.mean_interval``), or by the spread of the cycles
if that is larger.
"""

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from itertools import chain
from math import exp, hypot, log, log2, sqrt
from statistics import geometric_mean, median
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel

from ringscope.contracts.benchmark import BATCH_ITERATIONS, FEWEST_BATCHES, FEWEST_ITERATIONS, MOST_BATCHES, MOST_ROUNDS
from ringscope.contracts.words.devices import SIMULATED
from ringscope.judging.intervals import SURE, Error, chance_of, sure_of
from ringscope.judging.rank_tests import Cycles, Ratio, paired, unpaired

REFERENCE_BYTES = 1 << 20
FEWEST_CYCLES = 5  # with which an algorithm can win if its rows have no interval
MAX_SIZES = 128  # most sizes of a curve; a sweep that doubles its sizes has fewer than half as many
UNSTABLE_CV_PERCENT = 20.0
UNSTABLE_P99 = 10.0  # relative to the median


class Spread(Protocol):
    """The columns that decide whether a row is stable; ``SweepRow`` has them."""

    @property
    def cv_percent(self) -> float:
        """100 times the standard deviation over the mean."""

    @property
    def p50_us(self) -> float:
        """The median iteration."""

    @property
    def p99_us(self) -> float:
        """The 99th percentile of the iterations."""


class Row(Spread, Protocol):
    """The columns of a row that comparisons read; ``SweepRow`` and the row of the server's table have them."""

    @property
    def collective(self) -> str:
        """The collective that the sweep measures."""

    @property
    def algorithm(self) -> str:
        """The algorithm as the job names it."""

    @property
    def transport(self) -> str:
        """The transport, or ``simulated``."""

    @property
    def in_place(self) -> bool:
        """True if the result replaced the input."""

    @property
    def size_bytes(self) -> int:
        """Size of the message, as nccl-tests counts it."""

    @property
    def count(self) -> int:
        """Elements, as nccl-tests counts them."""

    @property
    def ranks(self) -> int:
        """Ranks that took part."""

    @property
    def cores(self) -> int | None:
        """Cores that the ranks had; None: unknown."""

    @property
    def iterations(self) -> int:
        """Timed iterations."""

    @property
    def time_us(self) -> float:
        """Mean time of the iterations."""

    @property
    def time_low_us(self) -> float | None:
        """Lower end of the time's 95 % interval; None: unknown."""

    @property
    def time_high_us(self) -> float | None:
        """Upper end of the time's 95 % interval; None: unknown."""

    @property
    def rounds_us(self) -> Sequence[float] | None:
        """Mean of each round, of the slowest rank; None: simulated, or measured by an earlier version."""

    @property
    def busbw_gb_per_s(self) -> float:
        """Bus bandwidth in 1e9 bytes per second."""

    @property
    def wrong(self) -> int | None:
        """Wrong elements over all ranks."""


def is_unstable(row: Spread) -> bool:
    """Return whether iterations vary so much that their mean says little."""
    return row.cv_percent > UNSTABLE_CV_PERCENT or row.p99_us > UNSTABLE_P99 * row.p50_us


class Point(NamedTuple):
    """Result of one algorithm at one size and placement over all cycles."""

    time_us: float  # the mean of the cycles' times
    cycles: int
    iterations: int  # over all cycles
    deviations_us2: float  # the sum of the cycles' squared distances from their mean
    error_us2: float | None  # mean of (half interval / SURE)² over the rows; None: some rows have no interval
    elements: int  # counted as in nccl-tests
    bus_bytes: float  # bus bandwidth times time
    p99_us: float  # the largest
    is_unstable: bool  # one of them
    rounds_us: Cycles = ()  # rounds of the slowest rank, cycle by cycle; empty if a row has none
    merged: int = 1  # rounds of which each of these is the geometric mean

    @property
    def busbw_gb_per_s(self) -> float:
        """Bus bandwidth in 1e9 bytes per second."""
        return self.bus_bytes / (self.time_us * 1e3) if self.time_us else 0.0

    @property
    def error(self) -> Error | None:
        """Return the error from the rows' intervals or from the spread of the cycles, whichever is larger; None:
        unknown.
        """
        if self.time_us <= 0 or (self.error_us2 is None and self.cycles < FEWEST_CYCLES):
            return None
        return max(self._by_rows(), self._by_cycles())

    def _by_rows(self) -> Error:
        """Return the error with the batches of a cycle as its values."""
        batches = max(FEWEST_BATCHES, min(MOST_BATCHES, self.iterations // self.cycles // BATCH_ITERATIONS))
        known_us = sqrt((self.error_us2 or 0.0) / self.cycles) * SURE / sure_of(batches)
        return Error(known_us / self.time_us, batches)

    def _by_cycles(self) -> Error:
        """Treat each cycle as a value."""
        between_us = sqrt(self.deviations_us2 / max(1, self.cycles - 1) / self.cycles)
        return Error(between_us / self.time_us, self.cycles)

    def interval_us(self) -> tuple[float, float] | None:
        """Return the 95 % interval of the time."""
        error = self.error
        return None if error is None else (self.time_us / exp(error.reach), self.time_us * exp(error.reach))

    @property
    def median_us(self) -> float | None:
        """Median of the rounds, which a few stalls do not change; None: the rows have no rounds."""
        return median(chain(*self.rounds_us)) if self.rounds_us else None

    @property
    def typical_us(self) -> float:
        """Median of the rounds; the mean of rows that have no rounds."""
        median_us = self.median_us
        return self.time_us if median_us is None else median_us

    def against(self, other: "Point", in_turns: bool = True) -> Ratio:
        """Return the ratio of the other's time to this one's: above 1 this one is faster.

        The rounds are compared by rank tests, round by round where both were timed ``in_turns``. If a point has no
        rounds, or none that belong together, the means are compared by their intervals.
        """
        rounds_us = _matched(self, other) if in_turns else (self.rounds_us, other.rounds_us)
        if all(rounds_us):
            return (paired if in_turns else unpaired)(*rounds_us)
        value = other.time_us / self.time_us if self.time_us else 1.0
        errors = self.error, other.error
        if errors[0] is None or errors[1] is None or not other.time_us:
            return Ratio(value, None, None)
        reach = hypot(errors[0].reach, errors[1].reach)
        return Ratio(value, value / exp(reach), value * exp(reach), chance_of(log(value), errors[0], errors[1]))

    def with_row(self, row: Row) -> "Point":
        """Return the point with one more cycle."""
        cycles = self.cycles + 1
        distance_us = row.time_us - self.time_us
        time_us = self.time_us + distance_us / cycles
        error_us2, known_us2 = _error_us2(row), self.error_us2
        return Point(
            time_us=time_us,
            cycles=cycles,
            iterations=self.iterations + row.iterations,
            deviations_us2=self.deviations_us2 + distance_us * (row.time_us - time_us),
            error_us2=None if error_us2 is None or known_us2 is None else known_us2 + (error_us2 - known_us2) / cycles,
            elements=self.elements,
            bus_bytes=max(self.bus_bytes, _bus_bytes(row)),
            p99_us=max(self.p99_us, row.p99_us),
            is_unstable=self.is_unstable or is_unstable(row),
            **_with_rounds(self, row),
        )


def point_of(row: Row) -> Point:
    """Return the point of a single cycle."""
    return Point(
        time_us=row.time_us,
        cycles=1,
        iterations=row.iterations,
        deviations_us2=0.0,
        error_us2=_error_us2(row),
        elements=row.count,
        bus_bytes=_bus_bytes(row),
        p99_us=row.p99_us,
        is_unstable=is_unstable(row),
        rounds_us=_rounds_us(row),
    )


def _rounds_us(row: Row) -> Cycles:
    """Return the row's rounds; none if there are too few to compare, or no time at all."""
    rounds_us = row.rounds_us or ()
    return (tuple(rounds_us),) if len(rounds_us) >= FEWEST_ITERATIONS and min(rounds_us) > 0 else ()


def _with_rounds(point: Point, row: Row) -> dict[str, Any]:
    """Return the rounds of a point with one more cycle; of more than MOST_ROUNDS neighbours are merged."""
    cycle, merged = _rounds_us(row), point.merged
    if not cycle or not point.rounds_us:
        return {"rounds_us": ()}
    cycles = *point.rounds_us, _merged(cycle[0], merged)
    while sum(map(len, cycles)) > MOST_ROUNDS:
        cycles, merged = _halved(cycles), 2 * merged
    return {"rounds_us": cycles, "merged": merged}


def _halved(cycles: Cycles) -> Cycles:
    """Merge neighbouring rounds of each cycle; cycles of one round are merged with each other."""
    if max(map(len, cycles)) > 1:
        return tuple(_merged(cycle, 2) for cycle in cycles)
    return tuple((one,) for one in _merged(tuple(chain(*cycles)), 2))


def _merged(rounds_us: Sequence[float], number: int) -> tuple[float, ...]:
    """Return the geometric mean of each group of neighbours; the last group may be smaller."""
    groups = (rounds_us[start : start + number] for start in range(0, len(rounds_us), number))
    return tuple(geometric_mean(group) for group in groups)


def _matched(one: Point, other: Point) -> tuple[Cycles, Cycles]:
    """Return the cycles that both have, merged alike: the newest one of ``other`` may not be reported yet."""
    first, second, merged = one.rounds_us, other.rounds_us, [one.merged, other.merged]
    while merged[0] < merged[1]:
        first, merged[0] = _halved(first), 2 * merged[0]
    while merged[1] < merged[0]:
        second, merged[1] = _halved(second), 2 * merged[1]
    alike = [pair for pair in zip(first, second, strict=False) if len(pair[0]) == len(pair[1])]
    return tuple(pair[0] for pair in alike), tuple(pair[1] for pair in alike)


def _bus_bytes(row: Row) -> float:
    return row.busbw_gb_per_s * row.time_us * 1e3


def _error_us2(row: Row) -> float | None:
    if row.transport == SIMULATED:
        return 0.0  # the model's times have no error
    if row.time_low_us is None or row.time_high_us is None or row.iterations < FEWEST_ITERATIONS:
        return None  # earlier versions stored intervals that were far too narrow for few iterations
    reach_us = max(row.time_high_us - row.time_us, row.time_us - row.time_low_us)  # no interval reaches below zero
    return float((reach_us / SURE) ** 2)


class Curve(BaseModel):
    """One algorithm over sizes, in place or out of place.

    If there are more than MAX_SIZES sizes, it keeps the smallest, the largest, the compared one, and the sizes with the
    lowest ``_place``. A size that was dropped is never selected again, so no size comes back with only part of its
    cycles.
    """

    algorithm: str
    transport: str
    in_place: bool
    points: dict[int, Point] = {}

    def add(self, row: Row) -> None:
        """Add a row of this algorithm and placement."""
        known = self.points.get(row.size_bytes)
        self.points[row.size_bytes] = point_of(row) if known is None else known.with_row(row)
        if len(self.points) > MAX_SIZES:
            ends = min(self.points), max(self.points), reference_bytes(self.points)
            kept = {*ends, *nsmallest(MAX_SIZES, self.points, key=_place)}
            self.points = {size: point for size, point in self.points.items() if size in kept}


class SweepComparison(BaseModel):
    """All curves of a sweep, in the order in which their algorithms were first reported, which breaks ties."""

    collective: str = ""
    ranks: int = 0
    cores: int | None = None
    wrong: int = 0
    curves: list[Curve] = []

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "SweepComparison":
        """Build a comparison from all rows at once."""
        comparison = cls()
        for row in rows:
            comparison.add(row)
        return comparison

    def add(self, row: Row) -> None:
        """Add one more row."""
        self.collective, self.ranks, self.cores = row.collective, row.ranks, row.cores
        self.wrong += row.wrong or 0
        self._curve(row).add(row)

    def _curve(self, row: Row) -> Curve:
        for curve in self.curves:
            if (curve.algorithm, curve.in_place) == (row.algorithm, row.in_place):
                return curve
        curve = Curve(algorithm=row.algorithm, transport=row.transport, in_place=row.in_place)
        self.curves.append(curve)
        return curve

    def sizes(self) -> list[int]:
        """Return the sizes in ascending order, without the empty message."""
        return sorted({size for curve in self.curves for size in curve.points if size > 0})

    def at(self, size_bytes: int, in_place: bool) -> dict[str, Point]:
        """Return the algorithms timed at this size and placement, the fastest first."""
        found = {
            curve.algorithm: curve.points[size_bytes]
            for curve in self.curves
            if curve.in_place == in_place and size_bytes in curve.points
        }
        return dict(sorted(found.items(), key=lambda item: item[1].typical_us))


def reference_bytes(sizes_bytes: Iterable[int]) -> int:
    """Return the size at which algorithms are compared: the nearest to 1 MiB, the smaller of two equally near ones; 0
    if there is no size.

    It is fixed beforehand: to choose the size with the largest ratio would exaggerate the difference.
    """
    sizes = (size for size in sizes_bytes if size > 0)
    return min(sizes, key=lambda size: (abs(log2(size / REFERENCE_BYTES)), size), default=0)


def names(curves: Sequence[Curve]) -> list[str]:
    """Return the algorithms, each once."""
    return list(dict.fromkeys(curve.algorithm for curve in curves))


def _place(size_bytes: int) -> int:
    """Return the fractional part of a multiple of the golden ratio: the sizes with the lowest values are evenly
    spread.
    """
    return size_bytes * 0x9E3779B97F4A7C15 % 2**64
