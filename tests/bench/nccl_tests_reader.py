"""Reads nccl-tests' text as other tools do: by the names in the header, from the right; knows nothing of our code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

_PARAMETER = re.compile(
    r"(minBytes|maxBytes|step|warmup iters|iters|agg iters|validation|graph|unalign):? (\d+)(?:\((\w+)\))?"
)


@dataclass
class Row:
    """One line; the numbers of each placement by the names of their columns."""

    size: int
    count: int
    type: str
    redop: str
    root: int
    out_of_place: dict[str, float | None]
    in_place: dict[str, float | None]
    time: datetime | None = None


@dataclass
class Table:
    """One run of one test program."""

    name: str
    parameters: dict[str, int] = field(default_factory=dict)
    step_kind: str = ""
    columns: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    out_of_bounds: int | None = None
    mean_busbw: float | None = None
    is_concluded: bool = False


def tables(text: str) -> Iterator[Table]:
    """Yield every table of the text."""
    table = Table("")
    for line in text.splitlines():
        words = line.lstrip("# ").split()
        if line.startswith("# Collective test starting:"):
            table = Table(words[3])
        elif line.startswith("# nThread"):
            for name, value, kind in _PARAMETER.findall(line):
                table.parameters[name] = int(value)
                table.step_kind = kind or table.step_kind
        elif line.startswith("#") and words[:2] == ["size", "count"]:
            table.columns = line.removeprefix("#").split()
        elif line.startswith("# Out of bounds values"):
            table.out_of_bounds = int(words[5])
        elif line.startswith("# Avg bus bandwidth"):
            table.mean_busbw = float(words[4])
        elif line.startswith("# Collective test concluded:"):
            table.is_concluded = True
            yield table
        elif table.columns and not table.is_concluded and words and words[0].isdigit() and not line.startswith("#"):
            table.rows.append(_row(words, table.columns))


def _row(words: list[str], columns: list[str]) -> Row:
    time = None
    if columns[-1] == "timestamp":
        *words, day, clock = words
        time, columns = datetime.fromisoformat(f"{day} {clock}"), columns[:-1]
    first = columns.index("time")
    half = (len(columns) - first) // 2
    names = columns[-half:]
    assert names == columns[-2 * half : -half], "both placements have the same columns"
    numbers = [None if word == "N/A" else float(word) for word in words[-2 * half :]]
    size, count, dtype, redop, root = words[: -2 * half]
    placements = (dict(zip(names, part, strict=True)) for part in (numbers[:half], numbers[half:]))
    return Row(int(size), int(count), dtype, redop, int(root), *placements, time)
