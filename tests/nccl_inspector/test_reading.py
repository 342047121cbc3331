"""Records of NCCL Inspector become series, and drops are found in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from ringscope.nccl_inspector.reading import Inspected, read
from ringscope.nccl_inspector.sentences import answer, document, notes

FOLDER = Path(__file__).parent / "foreign"
PUBLISHED = (FOLDER / "v4_1_verbose_proxy.jsonl").read_bytes()


def record(number: int, busbw: float = 350.0, rank: int = 0, **changed: Any) -> dict[str, Any]:
    ranks, size = 8, 1 << 30
    algbw = busbw * ranks / (2 * (ranks - 1))
    perf = {
        "coll": "AllReduce",
        "coll_sn": number,
        "coll_msg_size_bytes": size,
        "coll_exec_time_us": size / algbw / 1e3,
        "coll_algobw_gbs": algbw,
        "coll_busbw_gbs": busbw,
        **changed,
    }
    header = {"id": "0x1", "rank": rank, "n_ranks": ranks, "nnodes": 1}
    return {"header": header, "metadata": {"hostname": "node1"}, "coll_perf": perf}


def found(*records: dict[str, Any]) -> Inspected:
    return read(["\n".join(json.dumps(one) for one in records).encode()])


def test_published_records() -> None:
    inspected = read([PUBLISHED])
    expected = json.loads((FOLDER / "v4_1_verbose_proxy.expected.json").read_text())
    assert inspected.versions == [expected["inspector_version"]]
    told = [(one.collective, one.ranks, one.size_bytes, one.records[0]) for one in inspected.series]
    for (name, ranks, size, one), want in zip(told, expected["records"], strict=True):
        assert (name, ranks, one.rank, size) == (want["coll"], want["n_ranks"], want["rank"], want["size"])
        assert (one.time_us, one.algbw, one.busbw) == (want["time_us"], want["algbw"], want["busbw"])
        assert not one.is_contradictory, "the size of ReduceScatter is one rank's part"
    assert answer(inspected) == "No drop: 2 records in 2 series."


def test_a_drop_is_told_with_rank_and_operation() -> None:
    inspected = found(*(record(number) for number in range(20)), record(20, 90.0, rank=4), record(21, 120.0))
    (series,) = inspected.series
    assert [one.number for one in series.drops] == [20, 21]
    assert answer(inspected) == (
        "2 of 22 records of AllReduce at 1 GiB (8 ranks) fell below half of the median of 350 GB/s; the lowest is "
        "90 GB/s on rank 4 (node1), operation 20."
    )
    told = document(inspected)["series"][0]["records"]
    assert [one["operation"] for one in told if one["is_drop"]] == [20, 21]


def test_few_records_have_no_drop() -> None:
    assert not found(*(record(number) for number in range(6)), record(6, 10.0)).series[0].drops


def test_what_is_not_shown_is_counted() -> None:
    lines = [json.dumps(record(number)) for number in (1, 2, 9)]
    p2p = json.dumps({"header": {"id": "0x1", "rank": 0, "n_ranks": 8}, "p2p_perf": {"p2p": "Send"}})
    inspected = read(["\n".join([*lines, p2p, lines[0][:50], ""]).encode()])
    assert notes(inspected) == [
        "No record: 6 operations between the first and the last of a rank.",
        "Not shown: 1 record of other kinds, such as point-to-point.",
        "1 line cannot be read, for example because a line is cut.",
    ]


def test_a_record_that_contradicts_itself_is_marked() -> None:
    inspected = found(record(1), record(2, coll_busbw_gbs=100.0), record(3, coll_exec_time_us=5))
    assert [one.is_contradictory for one in inspected.series[0].records] == [False, True, True]
    assert notes(inspected)[0].startswith("Marked: 2 records with another bandwidth")


@pytest.mark.parametrize("odd", [None, -1, "text", [], {}, True, 10**400, float("nan"), float("inf")])
def test_a_field_may_have_any_value(odd: object) -> None:
    for name in record(1)["coll_perf"]:
        answer(found(record(1, **{name: odd})))
    for part in ("header", "metadata", "coll_perf"):
        answer(found({**record(1), part: odd}))


def test_a_file_cut_at_any_byte_has_only_printed_records() -> None:
    whole = [one.records for one in read([PUBLISHED]).series]
    for place in range(0, len(PUBLISHED), 7):
        cut = read([PUBLISHED[:place]])
        assert all(one.records in whole for one in cut.series)
