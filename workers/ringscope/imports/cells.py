"""Printed numbers and the interval that each stands for. Pure."""

import re
from functools import lru_cache
from math import isfinite

from ringscope.contracts.words.units import is_whole_number
from ringscope.imports.model import Cell

_NUMBER = re.compile(r"[0-9]{1,20}(?:\.([0-9]{1,20}))?(?:e([+-]?[0-9]{1,3}))?", re.IGNORECASE)
_NOT_FINITE = frozenset({"inf", "+inf", "infinity", "nan", "-nan"})
_LEAST_DECIMALS = 2


@lru_cache(maxsize=4096)
def parse_cell(text: str) -> Cell | None:
    """Return a printed number with half a unit of its last digit; None for anything else, also for negative numbers.

    ``inf`` and ``nan`` become infinite, so that every check of their row fails.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        return Cell(float("inf"), 0.0) if text.lower() in _NOT_FINITE else None
    value = float(text)
    half = 0.5 * 10.0 ** (int(found[2] or 0) - len(found[1] or ""))
    return Cell(value, half) if isfinite(value) and isfinite(half) else Cell(float("inf"), 0.0)


def json_cell(text: str) -> Cell | None:
    """Return a number of a JSON document: zeros after two decimals are padding and do not count as digits."""
    whole, dot, decimals = text.partition(".")
    if dot and "e" not in decimals.lower():
        kept = decimals.rstrip("0")
        text = f"{whole}.{kept.ljust(_LEAST_DECIMALS, '0')}"
    return parse_cell(text)


def parse_count(text: str) -> int | None:
    """Return a whole number of digits only; None for anything else."""
    return int(text) if is_whole_number(text) and len(text) <= 20 else None
