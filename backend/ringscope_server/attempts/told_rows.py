"""What the rows of a finished sweep say against what was asked for: each once, and checked where a check was. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from ringscope.choice.prediction import may_go_over
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.collectives import REDUCING, UNCHECKED_IN_PLACE, elements
from ringscope.contracts.devices import SIMULATED
from ringscope.contracts.dtypes import ITEMSIZE_BYTES
from ringscope.contracts.units import format_size


class Key(NamedTuple):
    """What tells a row apart. Several sizes that are asked for may come to one, in whole parts for each rank."""

    cycle: int
    size_bytes: int
    algorithm: str
    in_place: bool

    def __str__(self) -> str:
        place = "in place" if self.in_place else "out of place"
        return f"{self.algorithm} at {format_size(self.size_bytes)} {place} of cycle {self.cycle}"


class Sweep(NamedTuple):
    """What every row of a sweep says alike."""

    collective: str
    dtype: str
    ranks: int
    iterations: int
    op: str  # none where nothing is combined


class Told(NamedTuple):
    """A row that was stored."""

    key: Key
    sweep: Sweep
    wrong: int | None
    executed: str  # the algorithm that auto took, or the named one
    transport: str


def fault(spec: BenchmarkSpec, ranks: int, rows: Iterable[Told]) -> str:
    """Why these are not the rows that the specification asks for, in a sentence; empty if they are."""
    told = list(rows)
    asked, found = Counter(_asked(spec, ranks)), Counter(row.key for row in told)
    if missing := asked - found:
        rest = f", among them {next(iter(missing))}" if found else ""
        return f"The ranks ended, but {missing.total()} of {asked.total()} rows of the sweep are missing{rest}."
    if more := found - asked:
        key = next(iter(more))
        why = "was told twice" if key in asked else "was not asked for"
        return f"The row of {key} {why}."
    sweep = Sweep(
        spec.collective, spec.dtype, ranks, spec.iterations, spec.op if spec.collective in REDUCING else "none"
    )
    if other := next((row for row in told if row.sweep != sweep), None):
        name = next(name for name, is_, asked in zip(Sweep._fields, other.sweep, sweep, strict=True) if is_ != asked)
        is_, was_asked = getattr(other.sweep, name), getattr(sweep, name)
        return f"The row of {other.key} has {name} {is_}, but {was_asked} was asked for."
    if strange := next((row for row in told if not may_go_over(spec, row.executed, row.transport)), None):
        return f"The row of {strange.key} went over {strange.transport}, but transport {spec.transport} was asked for."
    unchecked = next((row.key for row in told if row.wrong is None and _is_checked(spec, row.key)), None)
    if unchecked:
        return f"The row of {unchecked} tells no result of the check, which was asked for."
    return ""


def _asked(spec: BenchmarkSpec, ranks: int) -> Iterator[Key]:
    itemsize = ITEMSIZE_BYTES[spec.dtype]
    sizes = [elements(spec.collective, size, itemsize, ranks)[1] * itemsize for size in spec.sizes()]
    for cycle, size, algorithm, in_place in product(range(spec.cycles), sizes, spec.algorithms, (False, True)):
        yield Key(cycle, size, algorithm, in_place)


def _is_checked(spec: BenchmarkSpec, key: Key) -> bool:
    is_free = spec.transport == SIMULATED or (key.in_place and spec.collective in UNCHECKED_IN_PLACE)
    return spec.check and not is_free
