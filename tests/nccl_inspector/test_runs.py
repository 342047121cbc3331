"""Series of NCCL Inspector as tables that an import stores."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.nccl_inspector.test_reading import PUBLISHED, found, record

from ringscope.nccl_inspector import runs as module
from ringscope.nccl_inspector.reading import read
from ringscope.nccl_inspector.runs import reading_of

EXPECTED = json.loads((Path(__file__).parent / "foreign" / "v4_1_verbose_proxy.expected.json").read_text())


def test_published_records_become_a_run_for_each_communicator() -> None:
    reading = reading_of(read([PUBLISHED]))
    assert (reading.refused, reading.is_clean) == (None, True)
    assert [(run.tool, run.collective, run.ranks) for run in reading.runs] == [
        ("nccl-inspector", "all_reduce", 8),
        ("nccl-inspector", "reduce_scatter", 8),
    ]
    for run, want in zip(reading.runs, EXPECTED["records"], strict=True):
        (row,) = run.rows
        assert row.time_us is not None and row.algbw is not None and row.busbw is not None
        assert (row.time_us.value, row.algbw.value, row.busbw.value) == (want["time_us"], want["algbw"], want["busbw"])
    assert [run.rows[0].size_bytes for run in reading.runs] == [1 << 34, 1 << 34], "the size of all ranks' parts"
    assert reading.runs[0].machine.versions == {"inspector": "v4.1"}


def whole(number: int, time_us: int, rank: int = 0, **changed: Any) -> dict[str, Any]:
    """Return a record of 1 GiB whose time is in whole microseconds, as the Inspector's is."""
    algbw = round((1 << 30) / time_us / 1e3, 6)
    return record(number, rank=rank) | {
        "coll_perf": {
            "coll": "AllReduce",
            "coll_sn": number,
            "coll_msg_size_bytes": 1 << 30,
            "coll_exec_time_us": time_us,
            "coll_algobw_gbs": algbw,
            "coll_busbw_gbs": round(algbw * 1.75, 6),
        }
        | changed
    }


def test_a_row_is_the_slowest_rank_of_an_operation_and_the_drops_are_told() -> None:
    records = [whole(number, 5000 + rank, rank) for number in range(9) for rank in (0, 1)]
    (run,) = reading_of(found(*records, whole(9, 20_000, 1))).runs
    assert [row.time_us.value for row in run.rows if row.time_us] == [5001.0] * 9 + [20_000.0]
    assert all(row.counts for row in run.rows), run.rows[0].flags
    assert run.notes[0] == "Communicator 0x1."
    assert "1 of 19 records of AllReduce at 1 GiB (8 ranks) fell below half" in run.notes[1]
    assert run.notes[1].endswith("on rank 1 (node1), operation 9.")
    assert not run.partial


def test_a_record_that_contradicts_itself_counts_for_nothing() -> None:
    (run,) = reading_of(found(whole(1, 5000), whole(2, 5000, coll_busbw_gbs=3.0))).runs
    assert [row.counts for row in run.rows] == [True, False]


def test_what_cannot_be_stored_is_left_out_with_a_sentence() -> None:
    alone = whole(1, 5000, coll_busbw_gbs=0.0) | {"header": {"id": "0x2", "rank": 0, "n_ranks": 1, "nnodes": 1}}
    gather = whole(1, 5000, coll="Gather")
    (run,) = reading_of(found(whole(1, 5000), alone, gather)).runs
    assert run.notes[1:] == [
        "Left out: 1 record of Gather, which cannot be stored.",
        "Left out: 1 record of AllReduce in a communicator of one rank, where nothing goes over a link.",
    ]
    refused = reading_of(found(alone))
    assert refused.runs == []
    assert refused.refused == f"Line 1: {run.notes[2]}"
    assert reading_of(read([b'{"coll_perf": {}}'])).refused == (
        "Line 1: No line is a collective's record; give the whole file."
    )


def test_a_cut_line_makes_the_table_partial() -> None:
    content = json.dumps(whole(1, 5000)) + '\n{"header": {"id": "0x1", "ra'
    (run,) = reading_of(read([content.encode()])).runs
    assert run.partial


def test_long_series_keep_their_lowest_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 10)
    (run,) = reading_of(found(*(whole(number, 20_000 if number == 33 else 5000) for number in range(100)))).runs
    assert len(run.rows) == 10
    assert [row.time_us.value for row in run.rows if row.time_us].count(20_000.0) == 1
    assert "Of 100 operations of one size, the slowest of each stretch is here." in run.notes


def test_of_very_many_communicators_those_with_the_most_bytes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RUNS", 2)
    many = [
        whole(operation, 5000) | {"header": {"id": f"0x{number}", "rank": 0, "n_ranks": 8, "nnodes": 1}}
        for number in range(1, 5)
        for operation in range(number)
    ]
    reading = reading_of(found(*many))
    assert [run.notes[0] for run in reading.runs] == ["Communicator 0x4.", "Communicator 0x3."]
    assert reading.runs[0].notes[-1] == "Left out: 2 tables of fewer bytes."
