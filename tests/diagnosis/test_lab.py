"""The diagnoses of a benchmark on labs: their order, what a stopped benchmark has left, and their table."""

from pathlib import Path

from benchmarks.diagnosis.lab import KINDS, planned
from benchmarks.diagnosis.page import lab_rows, runs_of


def test_each_repetition_has_every_kind_once_in_an_order_of_its_own() -> None:
    order = planned(list(KINDS), 10, [])
    rounds = [[kind for repeat, kind in order if repeat == number] for number in range(10)]
    assert all(sorted(each) == sorted(KINDS) for each in rounds)
    assert len({tuple(each) for each in rounds}) == 10
    assert [repeat for repeat, _ in order] == sorted(repeat for repeat, _ in order)


def test_a_benchmark_that_was_stopped_continues_in_the_same_order() -> None:
    order = planned(list(KINDS), 3, [])
    done = [{"repeat": repeat, "kind": kind} for repeat, kind in order[:7]]
    assert planned(list(KINDS), 3, done) == order[7:]


def test_the_table_counts_each_kind_and_all_of_them(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    assert runs_of(file) == []
    file.write_text(
        '{"kind": "none", "right": true, "rounds": 2, "seconds": 25.0}\n'
        '{"kind": "cut", "right": true, "rounds": 3, "seconds": 36.4}\n'
        '{"kind": "cut", "right": false, "rounds": 4, "seconds": 30.0}\n'
    )
    assert lab_rows(runs_of(file))[1:] == [
        ["cut", "1 of 2", "3 to 4", "30 to 36"],
        ["none", "1 of 1", "2", "25"],
        ["all", "2 of 3", "2 to 4", "25 to 36"],
    ]
