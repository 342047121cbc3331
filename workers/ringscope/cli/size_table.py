"""A benchmark in one short table: a line for each size, the median time of each algorithm, and the fastest one."""

from collections.abc import Sequence
from statistics import median

from rich.table import Table

from ringscope.cli.formatting import table
from ringscope.client import ClearWinner
from ringscope.contracts.record import Measurement
from ringscope.contracts.words.units import format_duration, format_size, plural

TIED = "tied"


def size_table(rows: Sequence[Measurement], winners: Sequence[ClearWinner]) -> Table:
    """Return the table of the rows out of place; the last column says tied where no algorithm clearly wins.

    A time is the median of the cycles' medians, so that a few stalls do not change it.

    Args:
        rows: of one attempt, at least one.
        winners: the clear winners of the job's summary.
    """
    out = [row for row in rows if not row.in_place]
    names = list(dict.fromkeys(row.algorithm for row in out))
    sizes = sorted({row.size_bytes for row in out})
    return table(
        ("SIZE", *names, "FASTEST"),
        (
            [format_size(size), *(_time(out, name, size) for name in names), _fastest(out, winners, size)]
            for size in sizes
        ),
    )


def caption(rows: Sequence[Measurement]) -> str:
    """Say what the times of the table are."""
    first = rows[0]
    cycles = 1 + max(row.cycle for row in rows)
    repeated = f", {plural(cycles, 'cycle')} of" if cycles > 1 else ","
    return (
        f"{first.collective} of {first.dtype} on {plural(first.ranks, 'rank')}, out of place: "
        f"median time of an operation{repeated} {plural(first.iterations, 'iteration')}"
    )


def _time(rows: Sequence[Measurement], name: str, size_bytes: int) -> str:
    medians_us = [row.p50_us for row in rows if (row.algorithm, row.size_bytes) == (name, size_bytes)]
    return format_duration(median(medians_us) / 1e6) if medians_us else "-"


def _fastest(rows: Sequence[Measurement], winners: Sequence[ClearWinner], size_bytes: int) -> str:
    found = (each.algorithm for each in winners if not each.in_place and each.min_bytes <= size_bytes <= each.max_bytes)
    is_compared = len({row.algorithm for row in rows if row.size_bytes == size_bytes}) > 1
    return next(found, TIED if is_compared else "")
