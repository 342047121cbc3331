"""Ringscope's own rows, as the API exports them: CSV, a JSON object on each line, or a JSON array. Pure."""

import csv
from collections.abc import Iterable, Mapping
from typing import Any

from ringscope.contracts.words.devices import SIMULATED
from ringscope.imports.lines import complete_lines
from ringscope.imports.model import Row, Run
from ringscope.imports.names import collective_named
from ringscope.imports.partial_json import Cut, cell, documents, number, text_of, whole

_NEEDED = frozenset({"algorithm", "size_bytes", "in_place", "time_us", "algbw_gb_per_s", "busbw_gb_per_s", "ranks"})
_TRUE = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}


def sniff(text: str) -> bool:
    """Return whether the text has rows with our names."""
    return all(name in text for name in _NEEDED)


def read(text: str) -> list[Run]:
    """Return a run for each collective, algorithm and transport."""
    records = _csv(text) if _header(text) is not None else _json(text)
    runs: dict[tuple[str | None, str | None, str | None, int | None], Run] = {}
    is_cut = False
    for line, record in records:
        if record is None:
            is_cut = True
            continue
        name, algorithm, transport = (text_of(record.get(key)) for key in ("collective", "algorithm", "transport"))
        ranks = whole(record.get("ranks"))
        run = runs.get((name, algorithm, transport, ranks))
        if run is None:
            run = runs[name, algorithm, transport, ranks] = Run("ringscope", line, ranks=ranks, ranks_from="the rows")
            run.collective, run.collective_from = collective_named(name) if name else None, "the rows"
            run.simulated, run.algorithm = transport == SIMULATED, algorithm
            run.note(f"Algorithm {algorithm} over {transport}.")
        row = _row(record, line)
        if row is None:
            run.partial = True
        else:
            run.rows.append(row)
    for run in runs.values():
        run.partial |= is_cut
    return list(runs.values())


def _row(record: Mapping[str, Any], line: int) -> Row | None:
    size, place = whole(record.get("size_bytes")), record.get("in_place")
    in_place = place if isinstance(place, bool) else _TRUE.get(str(place))
    time_us, algbw, busbw = (cell(record.get(key)) for key in ("time_us", "algbw_gb_per_s", "busbw_gb_per_s"))
    if size is None or in_place is None or time_us is None or algbw is None or busbw is None:
        return None
    return Row(
        line,
        size,
        in_place,
        text_of(record.get("dtype")),
        time_us=time_us,
        algbw=algbw,
        busbw=busbw,
        wrong=number(record.get("wrong")),
        count=whole(record.get("count")),
        redop=text_of(record.get("op")),
    )


def _json(text: str) -> Iterable[tuple[int, dict[str, Any] | None]]:
    for document in documents(text):
        records = document.value if isinstance(document.value, list) else [document.value]
        for record in records:
            if isinstance(record, Cut):
                yield document.line, None
            elif isinstance(record, dict) and record.keys() >= _NEEDED:
                yield document.line, record
        if not document.is_whole:
            yield document.line, None


def _header(text: str) -> tuple[int, list[str]] | None:
    for number_, line in enumerate(text.split("\n"), 1):
        if "busbw_gb_per_s" in line and not line.lstrip().startswith(("{", "[", '"')):
            names = [name.strip() for name in line.split(",")]
            if {*names} >= _NEEDED:
                return number_, names
    return None


def _csv(text: str) -> Iterable[tuple[int, dict[str, Any] | None]]:
    found = _header(text)
    assert found is not None
    first, names = found
    lines, rest = complete_lines(text)
    for line_number, values in enumerate(csv.reader(lines[first:]), first + 1):
        if len(values) == len(names):
            yield line_number, dict(zip(names, values, strict=True))
        elif values:
            yield line_number, None
    if rest.strip():
        yield len(lines) + 1, None
