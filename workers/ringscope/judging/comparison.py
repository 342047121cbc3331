"""Comparison of the algorithms of a sweep: the one statistic that is compared, and its error. Pure.

The time of an algorithm at a size and placement is nccl-tests' number: the mean of the timed iterations, combined over
the ranks as the job's ``average`` says; several cycles are averaged. Its error follows from the rows' intervals
(``bench.timing.mean_interval``), or from the spread of the cycles if that is larger. Rows are shown with mean and
median, but winners, ratios, best values and baselines are means.
"""

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from math import exp, hypot, log2, sqrt
from typing import NamedTuple, Protocol

from pydantic import BaseModel

from ringscope.contracts.benchmark import FEWEST_ITERATIONS, FEWEST_ROUNDS, MOST_ROUNDS, ROUND_ITERATIONS
from ringscope.contracts.words.devices import SIMULATED

REFERENCE_BYTES = 1 << 20
FEWEST_CYCLES = 5  # used likewise if their rows have no interval
MAX_SIZES = 128  # most sizes of a curve; a sweep that doubles its sizes has fewer than half as many
SURE = 1.96  # standard errors on either side of a 95 % interval, if the errors are known
_MOST_LOG_ERROR = 100.0  # with this error nothing is known about a time, but everything computed from it stays finite
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
    def busbw_gb_per_s(self) -> float:
        """Bus bandwidth in 1e9 bytes per second."""

    @property
    def wrong(self) -> int | None:
        """Wrong elements over all ranks."""


# Student's quantiles for 1, 2, 3 … degrees of freedom.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def sure_of(values: int) -> float:
    """Return how many standard errors to either side hold 95 %, for an error estimated from ``values`` >= 2 values."""
    freedom = values - 1
    return _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else SURE + 2.5 / freedom


def is_unstable(row: Spread) -> bool:
    """Return whether iterations vary so much that their mean says little."""
    return row.cv_percent > UNSTABLE_CV_PERCENT or row.p99_us > UNSTABLE_P99 * row.p50_us


class Ratio(NamedTuple):
    """Speedup with its 95 % interval; without an interval its uncertainty is unknown."""

    value: float
    low: float | None
    high: float | None

    @property
    def is_clear(self) -> bool:
        """Return whether the interval lies above 1."""
        return self.low is not None and self.low > 1.0


class Error(NamedTuple):
    """Standard error of a time's logarithm, and the number of values it was estimated from."""

    standard: float
    values: int

    @property
    def reach(self) -> float:
        """Return half the width of the logarithm's 95 % interval."""
        return min(sure_of(self.values) * self.standard, _MOST_LOG_ERROR)


class Point(NamedTuple):
    """Result of one algorithm at one size and placement over all cycles."""

    time_us: float  # the mean of the cycles' times
    cycles: int
    iterations: int  # over all cycles
    deviations_us2: float  # the sum of the cycles' squared distances from their mean
    error_us2: float | None  # mean of (half interval / SURE)² over the rows; None: some rows have no interval
    elements: int  # counted as in nccl-tests
    bus_bytes: float  # bus bandwidth times time
    p99_us: float  # the largest of the cycles
    is_unstable: bool  # whether one of the cycles is unstable

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
        """Treat each round of a cycle as a value."""
        rounds = max(FEWEST_ROUNDS, min(MOST_ROUNDS, self.iterations // self.cycles // ROUND_ITERATIONS))
        known_us = sqrt((self.error_us2 or 0.0) / self.cycles) * SURE / sure_of(rounds)
        return Error(known_us / self.time_us, rounds)

    def _by_cycles(self) -> Error:
        """Treat each cycle as a value."""
        between_us = sqrt(self.deviations_us2 / max(1, self.cycles - 1) / self.cycles)
        return Error(between_us / self.time_us, self.cycles)

    def interval_us(self) -> tuple[float, float] | None:
        """Return the 95 % interval of the time."""
        error = self.error
        return None if error is None else (self.time_us / exp(error.reach), self.time_us * exp(error.reach))

    def faster_than(self, other: "Point") -> Ratio:
        """Return the speedup over the other; both were timed in turns, so their errors count as independent."""
        value = other.time_us / self.time_us if self.time_us else 1.0
        errors = self.error, other.error
        if errors[0] is None or errors[1] is None:
            return Ratio(value, None, None)
        reach = hypot(errors[0].reach, errors[1].reach)
        return Ratio(value, value / exp(reach), value * exp(reach))

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
        )


def point_of(row: Row) -> Point:
    """Return the point of a single cycle."""
    return Point(
        row.time_us, 1, row.iterations, 0.0, _error_us2(row), row.count, _bus_bytes(row), row.p99_us, is_unstable(row)
    )


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
        return dict(sorted(found.items(), key=lambda item: item[1].time_us))


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
