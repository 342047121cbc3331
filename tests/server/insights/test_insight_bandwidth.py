"""A row's expected bandwidth comes from earlier runs, and a row far below it is too low."""

import pytest

from ringscope_server.insights.low_bandwidth import Comparison
from ringscope_server.results.baseline import Baseline, Row, Run, Shape, history_of


def row(value: float, size_bytes: int = 1024, algorithm: str = "ring") -> Row:
    return Row(Shape("all_reduce", algorithm, "mpi", False, size_bytes, "float32", "sum", 1, False), value)


def baseline_of(runs: list[list[Row]], disturbed: int = 0) -> Baseline:
    """Return the baseline of runs of which the last ``disturbed`` ones were disturbed."""
    quiet = len(runs) - disturbed
    return history_of([Run(rows, number >= quiet) for number, rows in enumerate(runs)]).expected


def expected(*values: float) -> Comparison:
    return Comparison(baseline_of([[row(value), row(value, 2048)] for value in values]))


def test_the_median_of_the_last_five_good_runs_is_expected() -> None:
    found = baseline_of([[row(value)] for value in (10, 30, 20, 50, 40, 1_000)])
    assert found[row(0).shape] == (30, 10, 5, False)


def test_two_good_runs_are_not_enough() -> None:
    assert baseline_of([[row(1)], [row(2)]]) == {}


def test_of_a_run_with_several_cycles_the_mean_of_their_times_counts_once() -> None:
    assert baseline_of([[row(1), row(3)], [row(2)], [row(2)]])[row(0).shape] == (2, 1.5, 3, False)
    assert baseline_of([[row(0)]] * 3)[row(0).shape] == (0, 0, 3, False), "one rank alone has no bus"


def test_ranks_without_a_core_each_have_a_baseline_of_their_own() -> None:
    crowded = [Row(row(0).shape._replace(is_crowded=True), value) for value in (1, 1, 1)]
    found = baseline_of([[row(10), slow] for slow in crowded])
    assert (found[row(0).shape].least_gb_per_s, found[crowded[0].shape].least_gb_per_s) == (10, 1)


@pytest.mark.parametrize(("value", "is_low"), [(7.9, True), (8.1, False)])
def test_two_rows_below_four_fifths(value: float, is_low: bool) -> None:
    comparison = expected(10, 10, 10)
    assert comparison.judge([row(value)]) is None, "one row may be chance"
    found = comparison.judge([row(value, 2048)])
    assert (found is not None) == is_low
    if found is not None:
        assert found.message == (
            "The bus bandwidth is low: ring at 1 KiB gives 7.9 GB/s, 0.79 of what 3 good runs gave (10 GB/s); "
            "2 rows are low."
        )
        assert [low["size_bytes"] for low in found.evidence["rows"]] == [1024, 2048]


def test_a_good_row_between_two_low_ones() -> None:
    comparison = expected(10, 10, 10)
    assert comparison.judge([row(1), row(10, 2048), row(1)]) is None


def test_what_was_as_low_in_a_good_run_is_no_news() -> None:
    assert expected(10, 10, 5).judge([row(6), row(6, 2048)]) is None
    assert expected(10, 10, 5).judge([row(4), row(4, 2048)]) is not None


def test_a_shape_that_was_never_run_is_not_judged() -> None:
    assert expected(10, 10, 10).judge([row(1, algorithm="tree"), row(1, 2048, "tree")]) is None


def test_disturbed_runs_that_agree_are_a_baseline_with_a_mark_and_less_weight() -> None:
    shape = row(0).shape
    assert baseline_of([[row(value)] for value in (20, 21, 22)], disturbed=3)[shape] == (21, 20, 3, True)
    assert baseline_of([[row(value)] for value in (30, 20, 21, 22)], disturbed=3)[shape] == (22, 20, 4, True)
    assert baseline_of([[row(value)] for value in (30, 30, 30, 1, 1)], disturbed=2)[shape] == (30, 30, 3, False)


def test_disturbed_runs_that_disagree_and_the_runs_of_each_row_are_counted() -> None:
    shapes = [Run([row(value), row(value, 2048 if value < 9 else 4096)], is_disturbed=True) for value in (6, 8, 10)]
    found = history_of(shapes)
    assert (found.expected, found.runs, found.disturbed, found.disagreeing) == ({}, 3, 3, 1)
    assert found.runs_of == {row(0).shape: 3, row(0, 2048).shape: 2, row(0, 4096).shape: 1}


def test_beside_disturbed_runs_a_row_is_low_below_half_and_the_sentence_says_so() -> None:
    runs = [[row(value), row(value, 2048)] for value in (0.0212, 0.0220, 0.0228)]
    assert Comparison(baseline_of(runs, disturbed=3)).judge([row(0.0115), row(0.0115, 2048)]) is None
    found = Comparison(baseline_of(runs, disturbed=3)).judge([row(0.0049), row(0.0049, 2048)])
    assert found is not None
    assert found.message == (
        "The bus bandwidth is low: ring at 1 KiB gives 0.0049 GB/s, 0.22 of what 3 runs gave, which other load "
        "disturbed as well (0.022 GB/s); 2 rows are low."
    )
