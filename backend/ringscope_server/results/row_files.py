"""Rows as files: one JSON object on each line, or CSV. Pure."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Literal

Format = Literal["ndjson", "csv"]
MEDIA_TYPES: dict[Format, str] = {"ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
# A spreadsheet reads a cell that begins with one of these as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def header(format: Format, columns: Sequence[str]) -> str:
    """Return the line before the first row."""
    return _csv([columns]) if format == "csv" else ""


def lines(format: Format, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Yield rows of JSON values, each with a line end. A number that is not finite is null in JSON."""
    if format == "csv":
        return _csv([["" if value is None else harmless(value) for value in row] for row in rows])
    objects = (dict(zip(columns, map(_kept, row), strict=True)) for row in rows)
    return "".join(json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n" for found in objects)


def harmless(cell: Any) -> Any:
    """Return a cell that no spreadsheet runs: an apostrophe precedes a text that would begin a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell


def _kept(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
