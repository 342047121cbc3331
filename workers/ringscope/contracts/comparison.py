"""Two jobs beside each other: where their specifications differ, and their measured rows in pairs. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from ringscope.contracts.collectives import REDUCING
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Measurement

FASTEST = "fastest"  # stands for whichever algorithm took the least time at a size


@dataclass(frozen=True)
class Difference:
    """A place, as people write it (placement.ranks), and what each side has there; None: nothing."""

    path: str
    a: Any
    b: Any


@dataclass(frozen=True)
class RowPair:
    """What both jobs measured with one algorithm at one size and place; of several cycles the one in the middle.

    ``noise_us`` says how far iterations differ among themselves: the root of the squared sum of both rows' standard
    deviations, each the row's cv of its time. A row that one preemption has spoiled has a large one.
    """

    algorithm: str
    size_bytes: int
    in_place: bool
    a_us: float
    b_us: float
    noise_us: float

    @property
    def ratio(self) -> float:
        """Time of the second over time of the first: below 1 the second is faster."""
        return self.b_us / self.a_us

    @property
    def is_beyond_noise(self) -> bool:
        """Whether the times differ by more than the noise."""
        return abs(self.a_us - self.b_us) > self.noise_us


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Difference]:
    """Every place where two documents differ, in the order of the first; lists are compared as a whole."""
    flat_a, flat_b = dict(_flat(a)), dict(_flat(b))
    paths = dict.fromkeys((*flat_a, *flat_b))
    found = [Difference(path, flat_a.get(path), flat_b.get(path)) for path in paths]
    return [difference for difference in found if difference.a != difference.b]


def row_pairs(a: Sequence[Measurement], b: Sequence[Measurement]) -> list[RowPair]:
    """Rows of the same algorithm, size and place, in the order of the first job."""
    of_a, of_b = _by_point(a), _by_point(b)
    return [_pair(point, rows, of_b[point]) for point, rows in of_a.items() if point in of_b]


def fastest(rows: Sequence[Measurement]) -> list[Measurement]:
    """Of each size and place the row of the algorithm that was fastest, renamed; of several cycles the middle one."""
    best: dict[tuple[int, bool], Measurement] = {}
    for row in middle_rows(rows):
        place = row.size_bytes, row.in_place
        if place not in best or row.time_us < best[place].time_us:
            best[place] = row
    return [row.model_copy(update={"algorithm": FASTEST}) for row in best.values()]


def middle_rows(rows: Sequence[Measurement]) -> list[Measurement]:
    """One row for each algorithm, size and place: of several cycles the one in the middle."""
    return [_middle(cycles) for cycles in _by_point(rows).values()]


def obstacles(base: JobSpec, other: JobSpec) -> list[str]:
    """Why the rows of two benchmarks do not measure the same thing, in sentences; empty: they can be compared."""
    if base.benchmark is None or other.benchmark is None:
        return ["Only benchmarks have rows to compare."]
    a, b = base.benchmark, other.benchmark
    if a.is_simulated != b.is_simulated:
        return ["One of them is simulated: the cost model's times beside measured ones."]
    facts = [
        ("collective", a.collective, b.collective),
        ("ranks", base.ranks, other.ranks),
        ("dtype", a.dtype, b.dtype),
        ("op", a.op if a.collective in REDUCING else None, b.op if b.collective in REDUCING else None),
        ("average, whose time counts,", a.average, b.average),
        ("blocking, where ranks meet,", a.blocking, b.blocking),
        ("rotate, whether caches help,", a.rotate, b.rotate),
    ]
    return [f"{name} is {there}, and {here} in the baseline." for name, here, there in facts if here != there]


def points(rows: Sequence[Measurement]) -> int:
    """How many combinations of algorithm, size and place were measured."""
    return len(_by_point(rows))


_Point = tuple[str, str, int, bool]


def _by_point(rows: Sequence[Measurement]) -> dict[_Point, list[Measurement]]:
    found: dict[_Point, list[Measurement]] = {}
    for row in rows:
        if row.time_us > 0:
            found.setdefault((row.collective, row.algorithm, row.size_bytes, row.in_place), []).append(row)
    return found


def _pair(point: _Point, a: Sequence[Measurement], b: Sequence[Measurement]) -> RowPair:
    _, algorithm, size_bytes, in_place = point
    first, second = _middle(a), _middle(b)
    noise_us = hypot(*(row.time_us * row.cv_percent / 100 for row in (first, second)))
    return RowPair(algorithm, size_bytes, in_place, first.time_us, second.time_us, noise_us)


def _middle(cycles: Sequence[Measurement]) -> Measurement:
    """The cycle in the middle by its time."""
    return sorted(cycles, key=lambda cycle: cycle.time_us)[len(cycles) // 2]


def _flat(document: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
