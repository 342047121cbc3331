"""Our own tables, JSON and exports are read back as they were measured."""

import csv
import io
import json

import pytest
from tests.bench.test_nccl_tests import hello, row

from ringscope.bench.nccl_tests.document import to_json
from ringscope.bench.nccl_tests.table import render_table
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.imports.files import read_file
from ringscope.imports.model import Run

ROWS = [
    row(name, time_us * factor, size, in_place=in_place)
    for name, factor in (("ring", 1.0), ("direct", 0.7))
    for size, time_us in ((1 << 20, 90.0), (1 << 22, 300.0))
    for in_place in (False, True)
]
SPEC = BenchmarkSpec(collective="all_reduce", algorithms=["ring", "direct"], min_bytes=1 << 20, max_bytes=1 << 22)


def measured(run: Run, algorithm: str, places: int) -> bool:
    """Return whether the run has exactly an algorithm's rows, with the bandwidth rounded to ``places`` decimals."""
    told = [(r.size_bytes, r.in_place, round(r.busbw_gb_per_s, places)) for r in ROWS if r.algorithm == algorithm]
    found = [(r.size_bytes, r.in_place, round(r.busbw.value, places)) for r in run.rows if r.busbw]
    return sorted(told) == sorted(found) and not any(r.flags for r in run.rows)


def check(content: str, places: int) -> None:
    reading = read_file(content.encode())
    assert reading.refused is None
    assert [(run.tool, run.collective, run.ranks) for run in reading.runs] == [("ringscope", "all_reduce", 4)] * 2
    assert all(measured(run, name, places) for run, name in zip(reading.runs, ("ring", "direct"), strict=True))


def test_our_table_is_read() -> None:
    check(render_table(ROWS, SPEC, [hello(0), hello(1)]) + "\n", 2)


def test_our_json_is_read() -> None:
    check(json.dumps(to_json(SPEC, ROWS, [], ["bench"], "2026-11-28 10:00:00", "2026-11-28 10:01:00"), indent=2), 6)


@pytest.mark.parametrize("separator", ["\n", ",\n"])
def test_exported_rows_are_read(separator: str) -> None:
    text = separator.join(json.dumps(one.model_dump(mode="json")) for one in ROWS)
    check(f"{text}\n" if separator == "\n" else f"[{text}]", 9)


def test_exported_csv_is_read() -> None:
    text = io.StringIO()
    table = [one.model_dump(mode="json") for one in ROWS]
    writer = csv.DictWriter(text, table[0].keys())
    writer.writeheader()
    writer.writerows(table)
    check(text.getvalue(), 9)
    cut = read_file(text.getvalue()[:-3].encode())
    assert all(run.partial for run in cut.runs)
    assert sum(len(run.rows) for run in cut.runs) == len(ROWS) - 1


def test_simulated_rows_are_refused() -> None:
    rows = [row("ring", 90.0, transport="simulated")]
    reading = read_file((json.dumps(rows[0].model_dump(mode="json")) + "\n").encode())
    assert reading.refused == "Line 1: the times are simulated; nothing was measured."
