"""Rows in pairs, out of place and in place, as nccl-tests shows them. Pure."""

from collections.abc import Sequence
from itertools import zip_longest

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Measurement
from ringscope.contracts.words.collectives import ROOTED

Pair = tuple[Measurement | None, Measurement | None]


def placements(rows: Sequence[Measurement]) -> list[Pair]:
    """Return pairs (out of place, in place) in the order of the sweep, cycle by cycle."""
    cycles = ([row for row in rows if row.cycle == cycle] for cycle in sorted({row.cycle for row in rows}))
    return [
        pair
        for cycle in cycles
        for pair in zip_longest([r for r in cycle if not r.in_place], [r for r in cycle if r.in_place])
    ]


def by_algorithm(measurements: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    """Group the rows by algorithm, in the order of their first rows."""
    found: dict[str, list[Measurement]] = {}
    for row in measurements:
        found.setdefault(row.algorithm, []).append(row)
    return found


def failed_checks(rows: Sequence[Measurement]) -> int:
    """Count the rows that have wrong elements."""
    return sum(bool(row.wrong) for row in rows)


def mean_busbw(rows: Sequence[Measurement]) -> float:
    """Return nccl-tests' average over all rows, in GB/s."""
    return sum(row.busbw_gb_per_s for row in rows) / len(rows) if rows else 0.0


def root_of(spec: BenchmarkSpec | None) -> int:
    """Return the root column; -1 for a collective without a root."""
    return spec.root if spec and spec.collective in ROOTED else -1
