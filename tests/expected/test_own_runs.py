"""The judgement by earlier runs of the same cluster."""

import pytest

from ringscope.expected.facts import Point
from ringscope.expected.own_runs import OwnRuns, judge_by_own_runs

RUNS = OwnRuns(median_gb_per_s=10.0, least_gb_per_s=9.0, runs=5)


def point(size_bytes: int, value: float) -> Point:
    return Point(size_bytes, False, value, value * 0.99, value * 1.01)


@pytest.mark.parametrize(
    ("value", "word"),
    [(10.0, "as expected"), (8.7, "as expected"), (8.0, "low by 20 %"), (12.0, "above what was expected")],
)
def test_a_run_is_low_only_if_its_interval_is_below_that_of_good_runs(value: float, word: str) -> None:
    found = judge_by_own_runs([(point(1024, value), RUNS), (point(2048, value), RUNS)])
    assert found.word == word
    assert found.sentence.endswith(f"where 5 own runs suggest 8.7 to 11.5 GB/s: {word}.")


def test_one_low_size_of_three_is_not_a_low_run() -> None:
    points = [(point(1024, 5.0), RUNS), (point(2048, 10.0), RUNS), (point(4096, 10.0), RUNS)]
    found = judge_by_own_runs(points)
    assert found.word == "as expected"
    assert [one.word for one in found.sizes] == ["low", "as expected", "as expected"]


def test_it_is_unknown_without_earlier_runs() -> None:
    assert judge_by_own_runs([(point(1024, 5.0), None)]).word == "unknown"
