"""The columns of nccl-tests' table, taken from the names in its header, and rows read by them. Pure.

A row is found by its dtype: two whole numbers stand before it, and exactly the header's columns after it. So any
prefix before a row does no harm, and a row that something else was printed into is not read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ringscope.contracts.words.units import is_whole_number
from ringscope.imports.cells import parse_cell, parse_count
from ringscope.imports.model import Cell, Row
from ringscope.imports.names import ITEMSIZES

_FIRST = {"size": ("count", "type"), "bytes": ("N", "type")}
_WRONG = frozenset({"#wrong", "wrong", "error", "res"})
_UNTOLD = frozenset({"N/A", "n/a"})
_DTYPES = frozenset(ITEMSIZES)
# mpirun's and srun's label at the start of each piece that a process wrote, also inside a line
_LABEL = re.compile(r"\[[0-9]{1,6}\](?=\s|$)")
_STAMP = "timestamp"


class UnreadableError(ValueError):
    """A line looks like a row, but its columns are not those of the table."""


class Columns(NamedTuple):
    """The columns of one placement: time, algbw and busbw; ``is_time`` is False for the time of the launch (-C)."""

    numbers: tuple[int, int, int]
    wrong: int | None
    is_time: bool
    is_error: bool


@dataclass(frozen=True)
class Layout:
    """The names of the columns after the dtype, of a header or of a row without one."""

    names: tuple[str, ...]
    has_header: bool = True

    @cached_property
    def redop(self) -> int | None:
        """Return the column of the operation."""
        return self.names.index("redop") if "redop" in self.names else None

    @cached_property
    def root(self) -> int | None:
        """Return the column of the root."""
        return self.names.index("root") if "root" in self.names else None

    @cached_property
    def columns(self) -> list[Columns]:
        """Return the columns of each placement."""
        starts = [i for i, name in enumerate(self.names) if name == "algbw"]
        found = []
        for algbw, end in zip(starts, [*(i - 1 for i in starts[1:]), len(self.names)], strict=True):
            wrong = next((i for i in range(algbw, end) if self.names[i] in _WRONG), None)
            is_error = wrong is not None and self.names[wrong] in ("error", "res")
            busbw = self.names.index("busbw", algbw)
            found.append(Columns((algbw - 1, algbw, busbw), wrong, self.names[algbw - 1] == "time", is_error))
        return found


def words_of(line: str) -> list[str]:
    """Return the words of a line without labels such as [0], which may stand inside it."""
    words = _LABEL.sub(" ", line).split() if "[" in line else line.split()
    while words and words[-1] == "|":  # the frame of a table that a page drew around the lines
        words.pop()
    return words


def header_of(words: Sequence[str]) -> Layout | None:
    """Return the layout that a line of names describes; None for every other line."""
    if words.count("algbw") != 2 or words.count("busbw") != 2:
        return None
    bare = [word.lstrip("#") if word.lstrip("#") in _FIRST else word for word in words]
    for first, (second, third) in _FIRST.items():
        for i, word in enumerate(bare[:-2]):
            if word == first and bare[i + 1] == second and bare[i + 2] == third:
                names = tuple(bare[i + 3 :])
                return Layout(names) if _is_whole(names) else None
    return None


def _is_whole(names: Sequence[str]) -> bool:
    """Return whether both placements have the same columns: a header may be cut, also within a word."""
    first, second = (i for i, name in enumerate(names) if name == "algbw")
    end = len(names) - (names[-1] == _STAMP)
    return first > 0 and [*names[first - 1 : second - 1]] == [*names[second - 1 : end]]


def place_of_dtype(words: Sequence[str]) -> int | None:
    """Return where a row's dtype is; None for a line that is no row."""
    if _DTYPES.isdisjoint(words):
        return None
    for i, word in enumerate(words):
        if word in _DTYPES and i >= 2 and parse_count(words[i - 1]) is not None and _size(words[i - 2]) is not None:
            return i
    return None


def guessed(words: Sequence[str], place: int) -> Layout | None:
    """Return the layout of a row without a header by the number and kind of its columns; None if there is no such."""
    values = words[place + 1 :]
    before = len(values) - 8
    if not 0 <= before <= 2:
        return None
    first_is_number = before > 0 and is_whole_number(values[0].lstrip("-"))
    names = {0: (), 1: ("root",) if first_is_number else ("redop",), 2: ("redop", "root")}[before]
    wrong = "error" if "e" in values[-1].lower() and values[-1].lower().startswith(("0e", "1e")) else "#wrong"
    return Layout((*names, *("time", "algbw", "busbw", wrong) * 2), has_header=False)


def parse_row(words: Sequence[str], place: int, layout: Layout, line: int) -> list[Row]:
    """Return the placements of a row; UnreadableError if its columns are not those of the layout."""
    values = list(words[place + 1 :])
    if _STAMP in layout.names and len(values) == len(layout.names) + 1:
        values[-2:] = [" ".join(values[-2:])]
    if len(values) == len(layout.names) - 1 and layout.names[:2] == ("redop", "root"):
        values.insert(0, "")  # hypercube and old send-receive print an empty name
    size, count = _size(words[place - 2]), parse_count(words[place - 1])
    if len(values) != len(layout.names) or size is None:
        raise UnreadableError
    redop = values[layout.redop] if layout.redop is not None else None
    root = values[layout.root] if layout.root is not None else None
    if redop is not None and is_whole_number(redop[:1]):
        raise UnreadableError
    if root is not None and not is_whole_number(root.removeprefix("-")):
        raise UnreadableError
    rows = []
    for number, columns in enumerate(layout.columns):
        told = [values[i] for i in columns.numbers]
        if _UNTOLD.issuperset(told):
            continue  # this placement was not measured
        time_us, algbw, busbw = map(_number, told)
        wrong = (
            None if columns.wrong is None or values[columns.wrong] in _UNTOLD else _number(values[columns.wrong]).value
        )
        rows.append(
            Row(
                line,
                size,
                number == 1,
                words[place],
                time_us=time_us if columns.is_time else None,
                algbw=algbw,
                busbw=busbw,
                wrong=None if columns.is_error else wrong,
                error=wrong if columns.is_error else None,
                count=count,
                redop=redop,
                root=None if root is None else int(root),
            )
        )
    return rows


def _number(text: str) -> Cell:
    cell = parse_cell(text)
    if cell is None:
        raise UnreadableError
    return cell


def _size(text: str) -> int | None:
    """Return a size, also behind a label that has no space after it: [1,0]<stdout>:1024."""
    for mark in (":", ">", "|"):
        text = text.rpartition(mark)[2]
    return parse_count(text)
