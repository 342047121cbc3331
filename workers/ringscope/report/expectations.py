"""The references of a judgement's sizes, numbered for a page, and the interval that each size had. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ringscope.expected.references import Reference, merged

_BEST_FIRST = ("baseline", "published", "model")


class Expected(NamedTuple):
    """The judgement of one size; ``low`` and ``high`` are None without a reference, ``limit`` is in GB/s.

    ``numbers`` are those of its references in the list of the page.
    """

    word: str
    low: float | None
    high: float | None
    limit: float | None
    numbers: list[int]


class Expectations(NamedTuple):
    """The sizes of a judgement by size and placement, and its references in the order of their numbers."""

    sizes: dict[tuple[int, bool], Expected]
    references: list[Mapping[str, Any]]


def expectations(judgement: Mapping[str, Any] | None) -> Expectations:
    """Return what a judgement's JSON says of each size."""
    sizes: dict[tuple[int, bool], Expected] = {}
    numbers: dict[tuple[Any, ...], int] = {}
    listed: list[Mapping[str, Any]] = []
    for size in (judgement or {}).get("sizes", ()):
        used = []
        for one in size["references"]:
            key = (one["kind"], one["source"], one["url"], one["date"])
            if key not in numbers:
                listed.append(one)
                numbers[key] = len(listed)
            used.append(numbers[key])
        best = _best(size["references"])
        limit = next((one["busbw_gb_per_s"] for one in size["references"] if one["kind"] == "limit"), None)
        low, high = (best.low, best.high) if best else (None, None)
        sizes[size["size_bytes"], size["in_place"]] = Expected(size["word"], low, high, limit, used)
    return Expectations(sizes, listed)


def _best(references: list[Mapping[str, Any]]) -> Reference | None:
    for kind in _BEST_FIRST:
        found = [
            Reference(
                kind, one["size_bytes"], one["busbw_gb_per_s"], one["low_gb_per_s"], one["high_gb_per_s"], one["source"]
            )
            for one in references
            if one["kind"] == kind
        ]
        if found:
            return merged(found)
    return None
