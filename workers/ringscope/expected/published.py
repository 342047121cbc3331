"""The data file of published rows, and a site's own rows in the same form."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from ringscope.expected.facts import gpu_class

_REQUIRED = ("id", "url", "date", "date_of", "tool", "library", "version", "gpu", "nodes", "ranks", "collective")
_MORE = ("placement", "dtype", "machine")
_OPTIONAL = ("gpus_per_node", "network", "cards", "card_gbit", "nvls", "note", "rows")


@dataclass(frozen=True)
class Source:
    """One published run: its conditions, and rows (size in bytes, busbw in GB/s) with rising sizes."""

    id: str
    url: str
    date: str
    date_of: str
    tool: str
    library: str
    version: str
    gpu: str
    nodes: int
    ranks: int
    collective: str
    placement: str
    dtype: str
    machine: str
    rows: tuple[tuple[int, float], ...]
    gpus_per_node: int | None = None
    network: str | None = None
    cards: int | None = None
    card_gbit: float | None = None
    nvls: bool | None = None
    note: str = ""
    site: bool = False  # one of the user's own


@lru_cache(maxsize=1)
def published() -> tuple[Source, ...]:
    """Return the sources of the data file."""
    return parse(files("ringscope.expected").joinpath("published.toml").read_text(encoding="utf-8"))


def parse(text: str, site: bool = False) -> tuple[Source, ...]:
    """Return the sources of a file; ValueError says in a sentence which of them is incomplete."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is not valid TOML: {error}.") from None
    sources = document.get("source")
    if not isinstance(sources, list) or not sources:
        raise ValueError("it has no [[source]]; docs/expected.md shows one.")
    found = tuple(_source(one, number, site) for number, one in enumerate(sources, 1))
    if len({one.id for one in found}) < len(found):
        raise ValueError("two sources have the same id; give each its own.")
    return found


def _source(told: Any, number: int, site: bool) -> Source:
    name = f"source {number}"
    if not isinstance(told, dict):
        raise ValueError(f"{name} is no table; write [[source]].")
    for key in (*_REQUIRED, *_MORE):
        if not told.get(key):
            raise ValueError(f"{name} lacks {key}; state it, or write that it is not stated.")
    unknown = told.keys() - {*_REQUIRED, *_MORE, *_OPTIONAL}
    if unknown:
        raise ValueError(f"{name} has the unknown key {min(unknown)}; remove it.")
    _checked_date(str(told["date"]), name)
    if not str(told["url"]).startswith(("https://", "http://")) and not site:
        raise ValueError(f"{name}: url is no address; give one that begins with https://.")
    if told["date_of"] not in ("source", "read"):
        raise ValueError(f"{name}: date_of is {told['date_of']!r}; write source or read.")
    if gpu_class(str(told["gpu"])) is None:
        raise ValueError(f"{name}: {told['gpu']!r} is no known class of GPU; write for example H100.")
    rows = tuple(_row(row, name) for row in told.get("rows") or ())
    if not rows or any(a[0] >= b[0] for a, b in pairwise(rows)):
        raise ValueError(f"{name}: rows are missing, or their sizes do not rise.")
    return Source(**{**told, "date": str(told["date"]), "version": str(told["version"]), "rows": rows, "site": site})


def _row(row: Any, name: str) -> tuple[int, float]:
    if not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], int) and isinstance(row[1], (int, float))):
        raise ValueError(f"{name}: a row is [size in bytes, busbw in GB/s], not {row!r}.")
    if row[0] <= 0 or row[1] <= 0:
        raise ValueError(f"{name}: {row!r} is not above 0; leave the row out.")
    return row[0], float(row[1])


def _checked_date(text: str, name: str) -> None:
    try:
        date.fromisoformat(text if len(text) > 7 else f"{text}-01")
    except ValueError:
        raise ValueError(f"{name}: the date {text!r} is not YYYY-MM-DD or YYYY-MM; correct it.") from None


def search(sources: Sequence[Source], words: Sequence[str]) -> list[Source]:
    """Return the sources that contain all words, in any letter case."""
    return [one for one in sources if all(word.lower() in _text(one) for word in words)]


def _text(source: Source) -> str:
    parts = (source.id, source.gpu, source.collective, source.machine, source.library, source.network, source.note)
    return " ".join(str(part) for part in (*parts, f"{source.ranks} ranks", f"{source.nodes} nodes")).lower()
