"""The references of a judgement, as a table with a line for each size and reference."""

from collections.abc import Iterable
from typing import Any

from ringscope.cli.console import say
from ringscope.cli.results.plain_table import say_table
from ringscope.contracts.words.units import format_size
from ringscope.expected.judgement import Judgement

_HEADINGS = ("SIZE", "PLACE", "IS", "GB/s", "REFERENCE", "EXPECTED", "FROM", "TO", "SOURCE")


def with_values(judgement: Judgement) -> list[tuple[float | None, Any]]:
    """Return the judged sizes as JSON, each with the measured bus bandwidth in GB/s."""
    sizes: Any = judgement.document()["sizes"]
    return [(one.point.value, size) for one, size in zip(judgement.sizes, sizes, strict=True)]


def say_references(sizes: Iterable[tuple[float | None, Any]]) -> None:
    """Print the table, or that there is no reference."""
    rows = [
        [
            *(format_size(size["size_bytes"]), "in place" if size["in_place"] else "out of place", size["word"]),
            *("-" if value is None else f"{value:g}", reference["kind"]),
            *(f"{reference[name]:.4g}" for name in ("busbw_gb_per_s", "low_gb_per_s", "high_gb_per_s")),
            f"{reference['source']}, {reference['url']}" if reference["url"] else reference["source"],
        ]
        for value, size in sizes
        for reference in size["references"]
    ]
    say()
    if rows:
        say_table(_HEADINGS, rows)
    else:
        say("No reference was found for any size.")
