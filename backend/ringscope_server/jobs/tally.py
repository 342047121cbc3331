"""What the rows of an attempt come to, added up as they are told. Pure.

A tally grows with the algorithms of a sweep, and with its sizes up to a bound, but not with its rows: the last row of a
long job costs what the first one did. ``summary.summary_of`` tells it to people.
"""

from heapq import nsmallest
from typing import Protocol

from pydantic import BaseModel

from ringscope.bench.verdict import Contender, reference_bytes
from ringscope_server.jobs.views import AlgorithmBest

MAX_SIZES = 128  # of a curve, of which fewer are shown; one that doubles its sizes has not half as many


class Row(Contender, Protocol):
    """What a tally reads of a row; ``record.Measurement`` and the row of the table have it."""

    @property
    def in_place(self) -> bool:
        """Whether the result replaced what was sent."""

    @property
    def p99_us(self) -> float:
        """The 99th percentile of the iterations."""

    @property
    def wrong(self) -> int | None:
        """Wrong elements over all ranks."""


class Point(BaseModel):
    """One size of a curve: of several cycles the best bandwidth and the worst percentile."""

    busbw_gb_per_s: float
    p99_us: float


class Curve(BaseModel):
    """One algorithm over sizes, in place or out of place.

    Of more than MAX_SIZES sizes it keeps the smallest, the largest, and of all of them those with the lowest
    ``_place``: what is dropped would never be among them again, so that no size comes back with a part of its cycles.
    """

    algorithm: str
    in_place: bool
    points: dict[int, Point] = {}

    def add(self, row: Row) -> None:
        """Take a row of this algorithm and place in."""
        known = self.points.get(row.size_bytes)
        if known is not None:
            known.busbw_gb_per_s = max(known.busbw_gb_per_s, row.busbw_gb_per_s)
            known.p99_us = max(known.p99_us, row.p99_us)
            return
        self.points[row.size_bytes] = Point(busbw_gb_per_s=row.busbw_gb_per_s, p99_us=row.p99_us)
        if len(self.points) > MAX_SIZES:
            kept = {min(self.points), max(self.points), *nsmallest(MAX_SIZES, self.points, key=_place)}
            self.points = {size: point for size, point in self.points.items() if size in kept}


def _place(size_bytes: int) -> int:
    """Multiples of the golden ratio, without their whole part: of sizes at equal steps the lowest lie evenly spread."""
    return size_bytes * 0x9E3779B97F4A7C15 % 2**64


class Middle(BaseModel):
    """Of one algorithm's rows out of place at the size that is compared, the middle one by its median iteration.

    ``before`` of the ``cycles`` stand before it, where those with the same time stand in the order of their ids.
    """

    row_id: int
    collective: str
    algorithm: str
    transport: str
    size_bytes: int
    count: int
    ranks: int
    busbw_gb_per_s: float
    p50_us: float
    cycles: int = 1
    before: int = 0

    @property
    def distance(self) -> int:
        """Where the middle is by now: so many rows after this one, or, where it is negative, before it."""
        return self.cycles // 2 - self.before

    def add(self, row_id: int, row: Row) -> None:
        """Count a row, which may move the middle."""
        self.cycles += 1
        self.before += (row.p50_us, row_id) < (self.p50_us, self.row_id)

    def moved(self, row_id: int, row: Row) -> "Middle":
        """The same where the middle is: at this row."""
        return _middle(row_id, row).model_copy(update={"cycles": self.cycles, "before": self.cycles // 2})


def _middle(row_id: int, row: Row) -> Middle:
    names = Middle.model_fields.keys() - {"row_id", "cycles", "before"}
    return Middle(row_id=row_id, **{name: getattr(row, name) for name in names})


class Tally(BaseModel):
    """Lists stand in the order in which their algorithms were first told, which decides between equals."""

    rows: int = 0
    wrong: int = 0
    limit_gb_per_s: float | None = None  # that the links of the gang allow; null: not known
    best: list[AlgorithmBest] = []
    curves: list[Curve] = []
    reference_bytes: int = 0  # at which algorithms are compared; 0: no row yet
    middles: list[Middle] = []

    def add(self, row_id: int, row: Row) -> None:
        """Take a row in; ``row_id`` is above those of the rows before. Then whoever has the rows moves the middles."""
        self.rows += 1
        self.wrong += row.wrong or 0
        self._compare(row)
        self._curve(row.algorithm, row.in_place).add(row)
        nearest = reference_bytes((self.reference_bytes, row.size_bytes))
        if nearest != self.reference_bytes:
            self.reference_bytes, self.middles = nearest, []
        if row.size_bytes == self.reference_bytes and not row.in_place:
            self._count(row_id, row)

    def _compare(self, row: Row) -> None:
        index = next((i for i, best in enumerate(self.best) if best.algorithm == row.algorithm), len(self.best))
        if index == len(self.best) or row.busbw_gb_per_s > self.best[index].busbw_gb_per_s:
            self.best[index : index + 1] = [AlgorithmBest.model_validate(row, from_attributes=True)]

    def points(self, algorithm: str, in_place: bool) -> dict[int, Point]:
        """By size_bytes, of one algorithm in one place."""
        return self._curve(algorithm, in_place).points

    def _curve(self, algorithm: str, in_place: bool) -> Curve:
        for curve in self.curves:
            if (curve.algorithm, curve.in_place) == (algorithm, in_place):
                return curve
        self.curves.append(curve := Curve(algorithm=algorithm, in_place=in_place))
        return curve

    def _count(self, row_id: int, row: Row) -> None:
        for middle in self.middles:
            if middle.algorithm == row.algorithm:
                middle.add(row_id, row)
                return
        self.middles.append(_middle(row_id, row))
