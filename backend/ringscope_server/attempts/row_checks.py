"""The check of a finished sweep's rows against its specification: each once, and verified if that was requested. Pure.

A row must not contradict itself either: its bandwidths follow from its time, its interval contains the time, its
percentiles ascend, and only a row of ``auto`` names a chosen algorithm.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise, product
from math import isclose
from typing import NamedTuple

from ringscope.choice.chooser import candidates
from ringscope.choice.prediction import may_go_over
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.words.collectives import AUTO, REDUCING, UNCHECKED_IN_PLACE, bus_factor, elements
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.dtypes import ITEMSIZE_BYTES
from ringscope.contracts.words.units import format_size

# These follow from a row's size, its time and its sweep.
NUMBERS = ("count", "algbw_gb_per_s", "busbw_gb_per_s")
# None is above the next one, if a row has both.
_RISING = (
    ("time_low_us", "time_us", "time_high_us"),
    ("min_us", "p5_us", "p10_us", "p50_us", "p90_us", "p95_us", "p99_us", "max_us"),
    ("min_us", "mean_us", "max_us"),
    ("device_time_us",),  # it lies between no others, because another clock measures it
)
TIMES = (*dict.fromkeys(chain(*_RISING)), "stdev_us", "cv_percent")
# The tolerance for numbers that ranks compute as here: JSON and both databases keep all of their digits.
_ROUNDING = 1e-12
_NEARLY = 1e-9  # the tolerance for those that are sums of many


class Key(NamedTuple):
    """The fields that distinguish a row."""

    cycle: int
    size_bytes: int
    algorithm: str
    in_place: bool

    def __str__(self) -> str:
        place = "in place" if self.in_place else "out of place"
        return f"{self.algorithm} at {format_size(self.size_bytes)} {place} of cycle {self.cycle}"


class Sweep(NamedTuple):
    """The fields that all rows of a sweep have in common."""

    collective: str
    dtype: str
    ranks: int
    iterations: int
    op: str  # empty if nothing is combined


class ReportedRow(NamedTuple):
    """A stored row."""

    key: Key
    sweep: Sweep
    numbers: Mapping[str, float]  # numbers by the names of NUMBERS
    times: Mapping[str, float | None]  # times by the names of TIMES
    wrong: int | None
    chosen_algorithm: str | None  # chosen by auto
    transport: str
    lowered_max_bytes: int | None = None  # the largest size that fitted into memory, if not all did

    @property
    def executed(self) -> str:
        """The algorithm that auto chose, or the named one."""
        return self.chosen_algorithm or self.key.algorithm


def fault(spec: BenchmarkSpec, ranks: int, rows: Iterable[ReportedRow]) -> str:
    """Return a sentence on why these are not the requested rows; empty if they are."""
    told = list(rows)
    lowered = {row.lowered_max_bytes for row in told} or {None}
    if len(lowered) > 1:
        return "Rows of one sweep tell different sizes as the largest one that fitted into memory."
    asked, found = Counter(_asked(spec, ranks, *lowered)), Counter(row.key for row in told)
    surplus = ""
    if more := found - asked:
        key = next(iter(more))
        surplus = f"The row of {key} {'was told twice' if key in asked else 'was not asked for'}."
    if missing := asked - found:
        rest = f", among them {next(iter(missing))}" if found else ""
        sentence = f"The ranks ended, but {missing.total()} of {asked.total()} rows of the sweep are missing{rest}."
        return f"{sentence} {surplus}".rstrip()
    if surplus:
        return surplus
    sweep = Sweep(
        spec.collective, spec.dtype, ranks, spec.iterations, spec.op if spec.collective in REDUCING else "none"
    )
    faults = ((row.key, _fault_of(row, spec, sweep)) for row in told)
    return next((f"The row of {key} {sentence}." for key, sentence in faults if sentence), "")


def _fault_of(row: ReportedRow, spec: BenchmarkSpec, asked: Sweep) -> str:
    """Return the rest of the sentence about a row whose key was requested; empty if there is no fault."""
    for name, is_, was_asked in zip(Sweep._fields, row.sweep, asked, strict=True):
        if is_ != was_asked:
            return f"has {name} {is_}, but {was_asked} was asked for"
    if not may_go_over(spec, row.executed, row.transport):
        return f"went over {row.transport}, but transport {spec.transport} was asked for"
    if row.chosen_algorithm not in _choices(row, spec):
        return f"has chosen_algorithm {row.chosen_algorithm}, which {row.key.algorithm} does not take"
    for name, follows in _numbers(row, asked).items():
        if not isclose(is_ := row.numbers[name], follows, rel_tol=_ROUNDING):
            return f"has {name} {is_:.12g}, but {follows:.12g} follows from its size and time"
    if disorder := _disorder(row.times):
        return disorder
    if row.wrong is None and _is_checked(spec, row.key):
        return "tells no result of the check, which was asked for"
    return ""


def _disorder(times: Mapping[str, float | None]) -> str:
    """Return a clause on two times that cannot both be true; empty if there are none."""
    for names in _RISING:
        told = [(name, value) for name in names if (value := times[name]) is not None]
        for (name, value), (above, most) in pairwise(told):
            if value > most and not isclose(value, most, rel_tol=_NEARLY):
                return f"has {name} {value:.12g}, above its {above} {most:.12g}"
    mean_us, stdev_us, cv_percent = times["mean_us"], times["stdev_us"], times["cv_percent"]
    assert mean_us is not None and stdev_us is not None and cv_percent is not None  # every version reports them
    follows = 100 * stdev_us / mean_us if mean_us else 0.0
    if not isclose(cv_percent, follows, rel_tol=_NEARLY):
        return f"has cv_percent {cv_percent:.12g}, but {follows:.12g} follows from its stdev_us and mean_us"
    return ""


def _choices(row: ReportedRow, spec: BenchmarkSpec) -> tuple[str | None, ...]:
    """Return the algorithms that a row may name as chosen: none, if the job names the algorithm."""
    return candidates(spec.collective, row.transport) if row.key.algorithm == AUTO else (None,)


def _numbers(row: ReportedRow, sweep: Sweep) -> dict[str, float]:
    """Return the numbers as ``ringscope.bench.sweep`` and ``ringscope.bench.simulation`` compute them."""
    count, _ = elements(sweep.collective, row.key.size_bytes, ITEMSIZE_BYTES[sweep.dtype], sweep.ranks)
    time_us = row.times["time_us"]
    algbw = row.key.size_bytes / (time_us * 1e3) if time_us else 0.0
    return dict(zip(NUMBERS, (count, algbw, algbw * bus_factor(sweep.collective, sweep.ranks)), strict=True))


def _asked(spec: BenchmarkSpec, ranks: int, max_bytes: int | None) -> Iterator[Key]:
    itemsize = ITEMSIZE_BYTES[spec.dtype]
    fitting = (size for size in spec.sizes() if max_bytes is None or size <= max_bytes)
    sizes = [elements(spec.collective, size, itemsize, ranks)[1] * itemsize for size in fitting]
    for cycle, size, algorithm, in_place in product(range(spec.cycles), sizes, spec.algorithms, (False, True)):
        yield Key(cycle, size, algorithm, in_place)


def _is_checked(spec: BenchmarkSpec, key: Key) -> bool:
    is_free = spec.transport == SIMULATED or (key.in_place and spec.collective in UNCHECKED_IN_PLACE)
    return spec.check and not is_free
