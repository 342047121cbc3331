"""rccl-tests' JSON and CSV (-Z): a record for each size and placement. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from ringscope.imports.lines import complete_lines
from ringscope.imports.model import Row, Run
from ringscope.imports.names import collective_named
from ringscope.imports.partial_json import Cut, cell, documents, number, text_of, whole

# The columns of the CSV of MPI builds before a correction, whose header lacks "nodes".
_FIELDS = (
    "numcycle", "collective", "nodes", "ranks", "rankspernode", "gpusperrank", "size", "type", "redop", "inplace",
    "time", "algbw", "busbw", "#wrong",
)  # fmt: skip
_SHORT = tuple(name for name in _FIELDS if name != "nodes")
BY_POSITION = "the header has one column less than the row, so the row was read by position"


def sniff(text: str) -> bool:
    """Return whether the text has such records."""
    return _has_json(text) or _header(text) is not None


def read(text: str) -> list[Run]:
    """Return a run for each collective and number of ranks; a size that begins again stays in its run."""
    if _has_json(text):
        return _grouped(_json_records(text))
    return _grouped(_csv_records(text))


def _has_json(text: str) -> bool:
    return '"busBw"' in text and '"algBw"' in text


def _json_records(text: str) -> Iterable[tuple[int, dict[str, Any], list[str], bool]]:
    for document in documents(text):
        records = document.value if isinstance(document.value, list) else [document.value]
        for record in records:
            if isinstance(record, dict) and "busBw" in {*record}:
                is_cut = isinstance(record, Cut) or not document.is_whole
                lowered = {name.lower(): value for name, value in record.items()}
                yield document.line, {} if isinstance(record, Cut) else lowered, [], is_cut


def _header(text: str) -> tuple[int, tuple[str, ...]] | None:
    for number_, line in enumerate(text.split("\n"), 1):
        if "busbw" in line.lower() and "," in line:
            names = tuple(word.strip().strip('"').lower() for word in line.split(","))
            if {"size", "algbw", "busbw", "time"} <= {*names}:
                return number_, names
    return None


def _csv_records(text: str) -> Iterable[tuple[int, dict[str, Any], list[str], bool]]:
    found = _header(text)
    if found is None:
        return
    first, names = found
    lines, rest = complete_lines(text)
    if rest.endswith('"'):
        lines.append(rest)
        rest = ""
    for line_number, line in enumerate(lines, 1):
        values = [word.strip().strip('"') for word in line.split(",")]
        if line_number <= first or len(values) < len(names):
            continue
        if len(values) == len(names):
            yield line_number, dict(zip(names, values, strict=True)), [], bool(rest)
        elif names == _SHORT and len(values) == len(_FIELDS):
            yield line_number, dict(zip(_FIELDS, values, strict=True)), [BY_POSITION], bool(rest)


def _grouped(records: Iterable[tuple[int, dict[str, Any], list[str], bool]]) -> list[Run]:
    runs: dict[tuple[str | None, int | None], Run] = {}
    is_cut = False
    for line, record, flags, cut in records:
        is_cut |= cut
        if not record:
            continue
        name = text_of(record.get("name") or record.get("collective"))
        collective = collective_named(name) if name else None
        ranks = whole(record.get("ranks")) or whole(record.get("gpus"))
        run = runs.setdefault((collective, ranks), Run("rccl-tests", line, collective, "the records"))
        run.ranks, run.ranks_from = ranks, "the records" if ranks else None
        row = _row(record, line, flags)
        if row is None:
            run.partial = True
        else:
            run.rows.append(row)
    found = list(runs.values())
    for run in found:
        inside = sum(row.in_place for row in run.rows)
        run.partial |= is_cut or 0 < inside < len(run.rows) / 2  # a size without its half in place
    return found


def _row(record: Mapping[str, Any], line: int, flags: list[str]) -> Row | None:
    size, place = whole(record.get("size")), whole(record.get("inplace"))
    algbw, busbw = cell(record.get("algbw")), cell(record.get("busbw"))
    if size is None or place not in (0, 1) or algbw is None or busbw is None:
        return None
    wrong = number(record.get("#wrong", record.get("wrong")))
    return Row(
        line,
        size,
        place == 1,
        text_of(record.get("type")),
        time_us=cell(record.get("time")),
        algbw=algbw,
        busbw=busbw,
        wrong=wrong,
        redop=text_of(record.get("redop")),
        flags=[*flags],
    )
