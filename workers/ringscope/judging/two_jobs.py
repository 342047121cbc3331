"""Comparison of two jobs: the differences of their specifications, and their measured rows in pairs. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, hypot, sqrt
from typing import Any, NamedTuple, Protocol

from ringscope.contracts.environment import shown
from ringscope.contracts.job import JobSpec
from ringscope.contracts.words.collectives import REDUCING
from ringscope.judging.comparison import Point, Row, SweepComparison, point_of, reference_bytes
from ringscope.judging.rank_tests import Ratio

FASTEST = "fastest"  # represents the fastest algorithm at each size


class Banded(Row, Protocol):
    """A row with the percentiles that a chart draws as a band; ``SweepRow`` and the row of the server's table have
    it.
    """

    @property
    def p5_us(self) -> float | None:
        """The 5th percentile of the iterations; None in rows of earlier versions."""

    @property
    def p95_us(self) -> float:
        """The 95th percentile of the iterations; None in rows of earlier versions."""


@dataclass(frozen=True)
class Difference:
    """A field, as people write it (placement.ranks), and its value on each side; None: no value."""

    path: str
    a: Any
    b: Any


class Timed(NamedTuple):
    """One algorithm at one size and placement; several cycles are averaged, as everywhere (``comparison``)."""

    algorithm: str
    size_bytes: int
    in_place: bool
    point: Point
    stdev_us: float  # over the iterations of all cycles
    p5_us: float | None  # percentile of the rounds, else the mean over the cycles; None: some rows have none
    p50_us: float  # mean over the cycles
    p95_us: float  # percentile of the rounds, else the mean over the cycles

    @property
    def time_us(self) -> float:
        """The mean of the cycles' times."""
        return self.point.time_us


class Pair(NamedTuple):
    """Times of the second job against those of the first, for one algorithm, size and placement."""

    ratio: Ratio  # below 1 the second job is faster; it has no interval with fewer than FEWEST_ITERATIONS
    noise: float  # the root of the sum of both squared standard deviations, divided by the first job's time


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Difference]:
    """Return every field in which two documents differ, in the order of the first; lists are compared as a whole."""
    flat_a, flat_b = dict(_flat(a)), dict(_flat(b))
    paths = dict.fromkeys((*flat_a, *flat_b))
    found = [Difference(path, flat_a.get(path), flat_b.get(path)) for path in paths]
    return [difference for difference in found if difference.a != difference.b]


def fastest(timed: Iterable[Timed]) -> list[Timed]:
    """Return the fastest algorithm at each size and placement, renamed to FASTEST."""
    best: dict[tuple[int, bool], Timed] = {}
    for one in timed:
        place = one.size_bytes, one.in_place
        if place not in best or one.point.typical_us < best[place].point.typical_us:
            best[place] = one
    return [one._replace(algorithm=FASTEST) for one in best.values()]


def timed(rows: Sequence[Banded]) -> list[Timed]:
    """Return one point for each collective, algorithm, size and placement, in the order of the rows."""
    return [_timed(cycles) for cycles in _by_point(rows).values()]


def pair(a: Timed, b: Timed) -> Pair:
    """Compare two rows of the same algorithm, size and placement.

    The jobs ran at different times, so that their rounds are independent; what changed between them is in no interval.
    """
    return Pair(a.point.against(b.point, in_turns=False), hypot(a.stdev_us, b.stdev_us) / a.time_us)


def obstacles(base: JobSpec, other: JobSpec) -> list[str]:
    """Return sentences that say why the rows of two benchmarks do not measure the same thing; empty: they are
    comparable.
    """
    if base.benchmark is None or other.benchmark is None:
        return ["Only benchmarks have comparable rows."]
    a, b = base.benchmark, other.benchmark
    if a.is_simulated != b.is_simulated:
        return ["One of them is simulated: modelled times cannot be compared with measured ones."]
    facts = [
        ("collective", a.collective, b.collective),
        ("ranks", base.ranks, other.ranks),
        ("dtype", a.dtype, b.dtype),
        ("op", a.op if a.collective in REDUCING else None, b.op if b.collective in REDUCING else None),
        ("aggregate, operations in one iteration,", a.aggregate, b.aggregate),
        ("average, whose time counts,", a.average, b.average),
        ("blocking, where ranks meet,", a.blocking, b.blocking),
        ("rotate, whether caches help,", a.rotate, b.rotate),
    ]
    return [f"{name} is {there}, and {here} in the base job." for name, here, there in facts if here != there]


def other_variables(base: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Return in which variables two jobs differ: the same is measured, but differences may come from them."""
    here, there = shown(other), shown(base)
    parts = [
        f"{name} has another value"
        if here.get(name) == there.get(name)
        else f"{name} is {here.get(name, 'not set')}, and {there.get(name, 'not set')} in the base job"
        for name in sorted({*base, *other})
        if base.get(name) != other.get(name)
    ]
    return [f"Their environment variables differ: {'; '.join(parts)}."] if parts else []


class Ran(NamedTuple):
    """Conditions of a run that its specification does not contain."""

    shared_cores: str  # "4 ranks on 2 cores" (``words.machine.shared_cores``); empty: each rank had a core
    disturbed_by: str | None


def sharing(base: Ran, other: Ran) -> list[str]:
    """Return how the core sharing of two runs differs, as an obstacle; equal sharing is none."""
    here, there = (ran.shared_cores or "a core for each rank" for ran in (other, base))
    return [] if here == there else [f"It had {here}, and the base job {there}."]


def disturbance(base: Ran, other: Ran) -> list[str]:
    """Return what disturbed either run: the same is measured, but differences may come from the disturbance."""
    if base.disturbed_by and other.disturbed_by:
        return [
            "Both jobs were disturbed, so differences may come from that. "
            f"This job: {other.disturbed_by} The base job: {base.disturbed_by}"
        ]
    one, reason = ("This job", other.disturbed_by) if other.disturbed_by else ("The base job", base.disturbed_by)
    return [f"{one} was disturbed, so differences may come from that. {reason}"] if reason else []


class Standing(NamedTuple):
    """Comparison of two jobs in one figure."""

    algorithm: str
    size_bytes: int
    ratio: Ratio  # the time of the second over that of the first


def standing(base: SweepComparison, other: SweepComparison) -> Standing | None:
    """Compare the fastest algorithms out of place, at the size nearest to 1 MiB that both jobs measured; None: there
    is none.
    """
    common = set(base.sizes()) & set(other.sizes())
    size_bytes = reference_bytes(
        size for size in common if base.at(size, in_place=False).keys() & other.at(size, in_place=False).keys()
    )
    before = base.at(size_bytes, in_place=False)
    for algorithm, point in other.at(size_bytes, in_place=False).items():
        if algorithm in before:
            return Standing(algorithm, size_bytes, before[algorithm].against(point, in_turns=False))
    return None


_Point = tuple[str, str, int, bool]


def _by_point(rows: Sequence[Banded]) -> dict[_Point, list[Banded]]:
    """Group rows by point, without those that have wrong elements: an algorithm that may be wrong can be fast."""
    found: dict[_Point, list[Banded]] = {}
    for row in rows:
        if row.time_us > 0 and not row.wrong:
            found.setdefault((row.collective, row.algorithm, row.size_bytes, row.in_place), []).append(row)
    return found


def _timed(cycles: Sequence[Banded]) -> Timed:
    first, count = cycles[0], len(cycles)
    point = point_of(first)
    for row in cycles[1:]:
        point = point.with_row(row)
    p5_us = [row.p5_us for row in cycles if row.p5_us is not None]
    spread_us = (sum(p5_us) / count if len(p5_us) == count else None), sum(row.p95_us for row in cycles) / count
    within_us2 = sum((row.time_us * row.cv_percent / 100) ** 2 for row in cycles) / count
    low_us, high_us = _between(point) or spread_us
    return Timed(
        algorithm=first.algorithm,
        size_bytes=first.size_bytes,
        in_place=first.in_place,
        point=point,
        stdev_us=sqrt(within_us2 + point.deviations_us2 / count),
        p5_us=low_us,
        p50_us=sum(row.p50_us for row in cycles) / count,
        p95_us=high_us,
    )


def _between(point: Point) -> tuple[float, float] | None:
    """Return the nearest ranks of p5 and p95 of all rounds; None: the point has no rounds.

    The median of the rounds lies between them. It need not lie between the means of the cycles' percentiles: one cycle
    with other load raises both.
    """
    ordered = sorted(chain(*point.rounds_us))
    return (ordered[ceil(len(ordered) * 0.05) - 1], ordered[ceil(len(ordered) * 0.95) - 1]) if ordered else None


def _flat(document: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
