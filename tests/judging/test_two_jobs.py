"""Two jobs beside each other."""

from math import hypot
from typing import Any

import pytest

from ringscope.contracts.record import Measurement
from ringscope.judging.comparison import SweepComparison
from ringscope.judging.two_jobs import (
    FASTEST,
    Difference,
    Ran,
    RowPair,
    caveats,
    differences,
    fastest,
    points,
    row_pairs,
    standing,
    timed,
)


def row(time_us: float, cv_percent: float = 3.0, **fields: Any) -> Measurement:
    usual = {
        "collective": "all_reduce",
        "algorithm": "ring",
        "transport": "mpi",
        "in_place": False,
        "size_bytes": 1024,
        "count": 256,
        "dtype": "float32",
        "op": "sum",
        "ranks": 2,
        "algbw_gb_per_s": 1.0,
        "busbw_gb_per_s": 1.0,
        "wrong": 0,
        "stdev_us": 0.1,
        "iterations": 20,
        "time_ns": 0,
        "cv_percent": cv_percent,
    }
    times = dict.fromkeys(("time_us", "min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us"), time_us)
    return Measurement.model_validate(usual | times | fields)


def test_documents_differ_where_a_value_differs_or_is_missing() -> None:
    a = {"placement": {"ranks": 2, "nodes": None}, "algorithms": ["ring"], "labels": {"x": "1"}}
    b = {"placement": {"ranks": 4, "nodes": None}, "algorithms": ["ring", "mpi"], "labels": {"y": "1"}}
    assert differences(a, b) == [
        Difference("placement.ranks", 2, 4),
        Difference("algorithms", ["ring"], ["ring", "mpi"]),
        Difference("labels.x", "1", None),
        Difference("labels.y", None, "1"),
    ]
    assert differences(a, a) == []


def test_rows_match_by_collective_algorithm_size_and_place() -> None:
    a = [row(10.0), row(20.0, size_bytes=2048), row(30.0, in_place=True), row(40.0, algorithm="direct")]
    b = [row(11.0), row(21.0, size_bytes=4096), row(41.0, algorithm="direct"), row(1.0, collective="reduce")]
    found = row_pairs(a, b)
    assert [(pair.algorithm, pair.size_bytes, pair.a_us, pair.b_us) for pair in found] == [
        ("ring", 1024, 10.0, 11.0),
        ("direct", 1024, 40.0, 41.0),
    ]
    assert (points(a), points(b)) == (4, 4)


def test_of_several_cycles_the_mean_counts_as_in_the_verdict() -> None:
    cycles = [
        row(time, cycle=number, cv_percent=0.0, busbw_gb_per_s=10 / time)
        for number, time in enumerate((10.0, 11.0, 12.0))
    ]
    [pair] = row_pairs(cycles, [row(5.5, cv_percent=0.0)])
    assert (pair.a_us, pair.ratio) == (11.0, 0.5)
    assert pair.noise_us == pytest.approx((2 / 3) ** 0.5)  # how the cycles differ
    [one] = timed(cycles)
    assert one.point.iterations == 60
    assert one.point.busbw_gb_per_s == pytest.approx(10.0 / 11.0)  # what the mean time amounts to


def test_the_fastest_of_each_size_and_place_is_found_by_the_same_mean() -> None:
    rows = [row(10.0), row(30.0, cycle=1), row(21.0, algorithm="direct"), row(5.0, algorithm="direct", in_place=True)]
    assert [(one.algorithm, one.in_place, one.time_us) for one in fastest(timed(rows))] == [
        (FASTEST, False, 20.0),
        (FASTEST, True, 5.0),
    ]


@pytest.mark.parametrize(
    ("a_us", "b_us", "is_beyond"),
    [(100.0, 104.9, False), (100.0, 105.6, True), (105.6, 100.0, True), (104.9, 100.0, False)],
)
def test_times_differ_beyond_the_noise_of_both_rows(a_us: float, b_us: float, is_beyond: bool) -> None:
    [pair] = row_pairs([row(a_us, cv_percent=3.0)], [row(b_us, cv_percent=4.0)])
    assert pair.noise_us == pytest.approx(hypot(0.03 * a_us, 0.04 * b_us))
    assert pair.is_beyond_noise is is_beyond


def test_a_row_that_one_preemption_has_spoiled_tells_nothing() -> None:
    # nineteen iterations of 4 us and one of 35 ms: mean 1754 us, cv 436 %
    [pair] = row_pairs([row(1754.0, cv_percent=436.0)], [row(4.0)])
    assert not pair.is_beyond_noise


def test_a_simulation_has_no_noise() -> None:
    assert RowPair("ring", 8, False, 10.0, 10.01, 0.0).is_beyond_noise
    assert not RowPair("ring", 8, False, 10.0, 10.0, 0.0).is_beyond_noise


def test_rows_without_a_time_are_left_out() -> None:
    assert row_pairs([row(0.0)], [row(1.0)]) == []


def test_rows_with_wrong_elements_are_left_out() -> None:
    assert row_pairs([row(9.0)], [row(1.0, wrong=7)]) == timed([row(1.0, wrong=7)]) == []
    assert points([row(1.0, wrong=7), row(2.0, size_bytes=8, wrong=None)]) == 1


def test_a_pair_says_which_of_its_rows_is_unstable() -> None:
    [pair] = row_pairs([row(1754.0, cv_percent=436.0)], [row(4.0)])
    assert (pair.a_is_unstable, pair.b_is_unstable) == (True, False)


@pytest.mark.parametrize(("iterations", "is_beyond"), [(1, False), (11, False), (12, True)])
def test_of_few_iterations_nobody_knows_what_is_noise(iterations: int, is_beyond: bool) -> None:
    few = [row(time_us, cv_percent=0.0, iterations=iterations) for time_us in (100.0, 100.5)]
    [pair] = row_pairs(few[:1], few[1:])
    assert pair.is_beyond_noise is is_beyond


def test_the_ratio_has_the_interval_of_the_verdict_beside_the_wider_noise() -> None:
    sure = [row(us, cv_percent=15.0, time_low_us=us * 0.99, time_high_us=us * 1.01) for us in (100.0, 118.0)]
    [pair] = row_pairs(sure[:1], sure[1:])
    assert not pair.is_beyond_noise
    assert (pair.ratio_low, pair.ratio_high) == (pytest.approx(1.163, abs=1e-3), pytest.approx(1.197, abs=1e-3))
    [old] = row_pairs([row(100.0)], [row(118.0)])
    assert (old.ratio_low, old.ratio_high) == (None, None)


def test_what_ran_otherwise_is_not_compared_but_what_was_as_crowded_is() -> None:
    alone, crowded, disturbed = Ran("", None), Ran("4 ranks on 2 cores", None), Ran("", "It shared node n1 with job 3.")
    assert caveats(alone, alone) == caveats(crowded, crowded) == []
    assert caveats(alone, crowded) == ["It had 4 ranks on 2 cores, and the base job a core for each rank."]
    assert caveats(alone, disturbed) == ["It was disturbed: It shared node n1 with job 3."]
    assert caveats(disturbed, alone) == ["The base job was disturbed: It shared node n1 with job 3."]


def test_one_figure_is_of_one_algorithm_at_one_size_that_both_have() -> None:
    mib = 1 << 20
    base = SweepComparison.of(
        [row(10.0, size_bytes=mib), row(8.0, algorithm="tree", size_bytes=mib), row(1.0, size_bytes=8)]
    )
    other = [row(8.0, size_bytes=mib), row(4.0, algorithm="direct", size_bytes=mib), row(1.0, in_place=True)]
    found = standing(base, SweepComparison.of([*other, row(9.0, size_bytes=mib - 4)]))
    assert found and (found.algorithm, found.size_bytes, found.ratio.value) == ("ring", mib, 0.8)
    assert standing(base, SweepComparison.of(other[1:])) is None
    assert standing(base, SweepComparison()) is None
