"""What is expected of a row, and when it is too low."""

import pytest

from ringscope_server.insights.low_bandwidth import Comparison
from ringscope_server.results.baseline import Row, Shape, baseline_of


def row(value: float, size_bytes: int = 1024, algorithm: str = "ring") -> Row:
    return Row(Shape("all_reduce", algorithm, "mpi", False, size_bytes, "float32", "sum", 1, False), value)


def expected(*values: float) -> Comparison:
    return Comparison(baseline_of([[row(value), row(value, 2048)] for value in values]))


def test_the_median_of_the_last_five_good_runs_is_expected() -> None:
    found = baseline_of([[row(value)] for value in (10, 30, 20, 50, 40, 1_000)])
    assert found[row(0).shape] == (30, 10, 5)


def test_two_good_runs_are_not_enough() -> None:
    assert baseline_of([[row(1)], [row(2)]]) == {}


def test_of_a_run_with_several_cycles_the_mean_of_their_times_counts_once() -> None:
    assert baseline_of([[row(1), row(3)], [row(2)], [row(2)]])[row(0).shape] == (2, 1.5, 3)
    assert baseline_of([[row(0)]] * 3)[row(0).shape] == (0, 0, 3), "one rank alone has no bus"


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
