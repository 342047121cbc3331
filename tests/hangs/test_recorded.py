"""Dumps that PyTorch 2.13 wrote: four gloo ranks, one of which has a fault (benchmarks/hangs)."""

from pathlib import Path

import pytest
from benchmarks.hangs import gang
from benchmarks.hangs.script import Fault, line_of, loop

from ringscope.hangs.dumps import read_dump
from ringscope.hangs.verdict import Verdict, explain

FOLDER = Path(__file__).parent / "recorded"
ALL_REDUCE, SWAPPED = 45, 40  # lines of benchmarks/hangs/script.py when the dumps were written


def verdict(kind: str) -> Verdict:
    return explain([read_dump(str(path), path.read_bytes()) for path in sorted((FOLDER / kind).iterdir())])


@pytest.mark.parametrize(
    ("kind", "rank", "seq"),
    [("missing", 3, 21), ("order", 2, 15), ("size", 0, 19), ("type", 3, 19), ("slow", 0, 19), ("torn_down", 0, 19)],
)
def test_a_fault_is_told_with_rank_operation_and_line(kind: str, rank: int, seq: int) -> None:
    found = verdict(kind).findings[0]
    assert (found.kind, found.ranks, found.seq) == (kind, (rank,), seq)
    assert found.expected is not None and found.expected.name == "all_reduce"
    assert str(found.expected.source) == f"/home/user/src/benchmarks/hangs/script.py:{ALL_REDUCE}"
    if kind == "order":
        assert found.found is not None and found.found.source is not None and found.found.source.line == SWAPPED


def test_json_says_the_same_without_lines() -> None:
    found = verdict("missing_json").findings[0]
    assert (found.kind, found.ranks, found.seq) == ("missing", (3,), 21)
    assert found.expected is not None and found.expected.source is None


def test_a_clean_run_has_no_finding() -> None:
    assert verdict("clean").is_clean


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("kind", ["missing", "type"])
def test_a_real_gang_of_now_is_told_so(kind: str) -> None:
    fault = Fault(kind, 1, 6)
    recorded = gang.record(lambda rank, on: loop(rank, 10, fault, on))
    found = explain([read_dump(name, content) for name, content in recorded.pickles.items()]).findings[0]
    assert (found.kind, found.ranks, found.seq) == (kind, (1,), 13)
    assert found.expected is not None and found.expected.source is not None
    assert found.expected.source.line == line_of("all_reduce")
