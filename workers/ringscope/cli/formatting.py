"""Lists as tables or as JSON, times and labels as text: the same in every command."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Protocol, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from ringscope.cli.console import in_one_line, say, say_json, stdout_console
from ringscope.client import Node, View
from ringscope.contracts.errors import UserError


class Named(Protocol):
    """An object with a name."""

    name: str


ViewT = TypeVar("ViewT", bound=View)
NamedT = TypeVar("NamedT", bound=Named)
Columns = Mapping[str, Callable[[ViewT], object]]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print the secret and nothing else.")]

_AGO = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def say_list(items: Iterable[ViewT], columns: Columns[ViewT], as_json: bool, empty: str) -> None:
    """Format a table with these headings and cells, or a JSON array; ``empty`` replaces a table without rows."""
    found = list(items)
    if as_json:
        say_json(json.dumps([item.model_dump(mode="json", by_alias=True) for item in found], indent=2))
    elif found:
        stdout_console().print(table(list(columns), ([cell(item) for cell in columns.values()] for item in found)))
    else:
        say(empty)


def say_one(item: View, sentence: str, as_json: bool) -> None:
    """Print one object, such as one that was just changed: a sentence about it, or all of it as JSON."""
    if as_json:
        say_json(item.model_dump_json(indent=2, by_alias=True))
    else:
        say(sentence)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return a plain table: without rules, and without folding cells that fit; a cell may be a text with a style."""
    grid = Table(*headings, box=None, pad_edge=False)
    for row in rows:
        grid.add_row(*(cell if isinstance(cell, Text) else _plain(cell) for cell in row))
    return grid


def _plain(cell: object) -> str:
    return "" if cell is None else in_one_line(str(cell))


def when(time: datetime | None) -> str:
    """Format a time on this machine's clock, to the second."""
    return "" if time is None else time.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def until(time: datetime) -> str:
    """Format a time and its distance from now: 2026-01-02 03:04:05 (in 5 min)."""
    seconds = (time - datetime.now(UTC)).total_seconds()
    return f"{when(time)} (in {span(seconds)})" if seconds >= 0 else f"{when(time)} ({span(-seconds)} ago)"


def moment(flag: str, text: str | None) -> str | None:
    """Convert a time for the API; a time without a zone refers to this machine's clock."""
    if text is None:
        return None
    try:
        if match := _AGO.fullmatch(text):
            return (datetime.now(UTC) - timedelta(**{_UNITS[match[2]]: int(match[1])})).isoformat()
        return datetime.fromisoformat(text).astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise UserError(f"{flag}: {text!r} is not a time; write for example 2026-01-31T12:00, or 2h.") from error


def span(seconds: float) -> str:
    """Format a duration in its largest whole unit: 40 s, 5 min, 3 h, 2 d."""
    for unit_seconds, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * unit_seconds:
            return f"{seconds / unit_seconds:.0f} {unit}"
    return f"{seconds:.0f} s"


def label_words(labels: Mapping[str, str]) -> str:
    """Format labels as they are typed: a=1 b=2."""
    return " ".join(f"{key}={value}" for key, value in sorted(labels.items()))


def node_state(node: Node) -> str:
    """Describe the node's observed state, and the drain that was requested, if any."""
    observed = f"{node.observed}: {node.observed_reason.rstrip('.')}" if node.observed_reason else node.observed
    if node.desired != "drain":
        return observed
    drain = "draining" if node.slots_busy else "drained"
    reason = f": {node.desired_reason.rstrip('.')}" if node.desired_reason else ""
    by = f" (by {node.desired_by})" if node.desired_by else ""
    return f"{observed}, {drain}{reason}{by}"


def named(noun: str, name: str, items: Sequence[NamedT]) -> NamedT:
    """Return the object with this name; UserError lists the existing names."""
    for item in items:
        if item.name == name:
            return item
    known = ", ".join(item.name for item in items) or f"no {noun} yet"
    raise UserError(f"There is no {noun} {name}; there is {known}.")
