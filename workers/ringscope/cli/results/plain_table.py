"""Tables in plain text: a table of Rich takes longer to load than all of the reading."""

from collections.abc import Iterable, Iterator

from ringscope.cli.console import say
from ringscope.contracts.words.units import is_whole_number


def say_table(headings: Iterable[str], rows: Iterable[list[str]]) -> None:
    """Print columns that fit their cells, numbers to the right."""
    lines = [list(headings), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        say("  ".join(_aligned(line, widths)).rstrip())


def _aligned(line: list[str], widths: list[int]) -> Iterator[str]:
    for cell, width in zip(line, widths, strict=True):
        yield cell.rjust(width) if _is_number(cell) else cell.ljust(width)


def _is_number(cell: str) -> bool:
    return cell == "-" or is_whole_number(cell.replace(".", "", 1).replace("e+", "", 1))
