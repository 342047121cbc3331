"""A benchmark in one short table: a line for each size, the median time of each algorithm, and the fastest ones."""

from collections.abc import Collection, Sequence
from statistics import median

from rich.table import Table
from rich.text import Text

from ringscope.cli.formatting import table
from ringscope.cli.results.link_matrix import listed
from ringscope.client.views.results import SizeFastest
from ringscope.contracts.record import Measurement
from ringscope.contracts.words.units import format_duration, format_size, plural

UNCLEAR = "no clear winner"


def size_table(rows: Sequence[Measurement], found: Sequence[SizeFastest]) -> Table:
    """Return the table of the rows out of place; the last column names the winner, or those that tie.

    A time is the median of the cycles' medians, so that a few stalls do not change it. On a terminal the times of those
    algorithms are bold.

    Args:
        rows: of one attempt, at least one.
        found: the fastest algorithms at each size, from the verdict.
    """
    out = [row for row in rows if not row.in_place]
    names = list(dict.fromkeys(row.algorithm for row in out))
    fastest_by_size = {one.size_bytes: one.algorithms for one in found}
    lines: list[list[object]] = []
    for size in sorted({row.size_bytes for row in out}):
        compared = {row.algorithm for row in out if row.size_bytes == size}
        fastest = [name for name in names if name in fastest_by_size.get(size, [])]
        times = (Text(_time(out, name, size), style="bold" if name in fastest else "") for name in names)
        lines.append([format_size(size), *times, _told(fastest, compared)])
    return table(("SIZE", *names, "FASTEST"), lines)


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


def _told(fastest: Sequence[str], compared: Collection[str]) -> str:
    if 2 < len(fastest) == len(compared):
        return "all tie"
    if len(fastest) > 1:
        return f"{listed(fastest)} tie"
    return fastest[0] if fastest else UNCLEAR if len(compared) > 1 else ""
