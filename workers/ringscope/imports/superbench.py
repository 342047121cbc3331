"""SuperBench's results-summary.jsonl: a line for each node, metrics of nccl-bw and rccl-bw by their names. Pure."""

import re
from typing import Any

from ringscope.imports.model import Cell, Row, Run
from ringscope.imports.names import collective_named
from ringscope.imports.partial_json import documents, number, text_of

_METRIC = re.compile(r"((?:nccl|rccl)-bw[^/]{0,60})/([a-z_]{4,20})_([0-9]{1,15})_(busbw|algbw|time)(?::([0-9]{1,6}))?")


def sniff(text: str) -> bool:
    """Return whether a line has metrics of the benchmark."""
    return '"node"' in text and ("nccl-bw" in text or "rccl-bw" in text)


def read(text: str) -> list[Run]:
    """Return a run for each node and collective; a node without metrics is refused by its name."""
    runs = []
    for document in documents(text):
        if isinstance(document.value, dict):
            runs += _node(document.value, document.line, document.is_whole)
    return runs


def _node(value: dict[str, Any], line: int, is_whole: bool) -> list[Run]:
    name = text_of(value.get("node")) or "without a name"
    metrics: dict[tuple[str, str, str], dict[int, dict[str, Cell]]] = {}
    for key, cell in value.items():
        found = _METRIC.fullmatch(key)
        if found is not None and isinstance(cell, Cell):
            group = metrics.setdefault((found[1], found[2], found[5] or "0"), {})
            group.setdefault(int(found[3]), {})[found[4]] = cell
    runs = []
    for (_, operation, _), sizes in metrics.items():
        run = Run("superbench", line, collective_named(operation), "the metrics' names", partial=not is_whole)
        run.note(f"Node {name}.")
        run.rows = [
            _row(line, size, cells) for size, cells in sizes.items() if {"busbw", "algbw", "time"} <= cells.keys()
        ]
        run.partial |= len(run.rows) < len(sizes)
        runs.append(run)
    if not runs:
        code = next((number(cell) for key, cell in value.items() if key.endswith("-bw/return_code")), None)
        told = "" if code is None else f" (return code {code:g})"
        refused = Run("superbench", line, partial=not is_whole)
        refused.refused = f"Line {line}: node {name} has no result of a collective{told}."
        runs.append(refused)
    return runs


def _row(line: int, size: int, cells: dict[str, Cell]) -> Row:
    """Return a row; the numbers lost the zeros at their ends, so that nccl-tests' widths say how exact they are."""
    algbw, busbw = (Cell(cells[name].value, max(0.005, cells[name].half)) for name in ("algbw", "busbw"))
    time = cells["time"].value
    half = 0.005 if time < 100 else 0.05 if time < 10_000 else 0.5
    return Row(line, size, False, time_us=Cell(time, half), algbw=algbw, busbw=busbw)
