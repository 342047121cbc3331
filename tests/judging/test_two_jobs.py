"""Two jobs are compared with each other."""

from math import hypot
from typing import Any

import pytest

from ringscope.contracts.record import Measurement
from ringscope.judging.comparison import SweepComparison
from ringscope.judging.two_jobs import (
    FASTEST,
    Difference,
    Ran,
    Timed,
    differences,
    disturbance,
    fastest,
    other_variables,
    pair,
    sharing,
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


def test_of_several_cycles_the_mean_counts_as_in_the_verdict() -> None:
    cycles = [
        row(time, cycle=number, cv_percent=0.0, busbw_gb_per_s=10 / time)
        for number, time in enumerate((10.0, 11.0, 12.0))
    ]
    ratio, noise = pair(*timed(cycles), *timed([row(5.5, cv_percent=0.0)]))
    assert ratio.value == 0.5
    assert noise == pytest.approx((2 / 3) ** 0.5 / 11.0)  # how the cycles differ
    [one] = timed(cycles)
    assert one.point.iterations == 60
    assert one.point.busbw_gb_per_s == pytest.approx(10.0 / 11.0)  # what the mean time amounts to


def test_the_fastest_of_each_size_and_place_is_found_by_the_same_mean() -> None:
    rows = [row(10.0), row(30.0, cycle=1), row(21.0, algorithm="direct"), row(5.0, algorithm="direct", in_place=True)]
    assert [(one.algorithm, one.in_place, one.time_us) for one in fastest(timed(rows))] == [
        (FASTEST, False, 20.0),
        (FASTEST, True, 5.0),
    ]


def one(*rows: Measurement) -> Timed:
    [found] = timed(rows)
    return found


def in_rounds(rounds_us: list[float], **fields: Any) -> Measurement:
    return row(sum(rounds_us) / len(rounds_us), rounds_us=rounds_us, iterations=len(rounds_us), **fields)


def test_the_noise_is_of_both_rows_and_decides_nothing() -> None:
    sure = [one(row(us, cv_percent=15.0, time_low_us=us * 0.99, time_high_us=us * 1.01)) for us in (100.0, 118.0)]
    ratio, noise = pair(*sure)
    assert noise == pytest.approx(hypot(0.15 * 100, 0.15 * 118) / 100)
    assert (ratio.low, ratio.high) == (pytest.approx(1.163, abs=1e-3), pytest.approx(1.197, abs=1e-3))
    assert ratio.is_clear
    assert not pair(one(row(100.0)), one(row(118.0))).ratio.is_clear, "without an interval"


def test_a_stall_in_one_job_is_no_difference_and_hides_none() -> None:
    steady = [100.0 + i % 7 for i in range(20)]
    stalled = [*steady[:-1], 35_000.0]
    assert not pair(one(in_rounds(steady)), one(in_rounds(stalled))).ratio.is_clear
    half = pair(one(in_rounds(stalled)), one(in_rounds([time / 2 for time in steady]))).ratio
    assert half.is_clear and half.value == pytest.approx(0.5, rel=0.02)


def test_the_median_lies_within_the_spread_also_if_one_cycle_had_other_load() -> None:
    quiet, busy = [5.0 + i / 100 for i in range(20)], [100.0 + i for i in range(20)]
    found = one(*(in_rounds(us, cycle=n, p5_us=us[0]) for n, us in enumerate([quiet, quiet, quiet, quiet, busy])))
    assert (found.p5_us, found.point.median_us, found.p95_us) == pytest.approx((5.01, 5.12, 114.0))
    assert (one(row(10.0, p5_us=8.0)).p5_us, one(row(10.0)).p95_us) == (8.0, 10.0), "without rounds the rows' own"


def test_a_simulation_is_exact() -> None:
    simulated = [one(row(us, cv_percent=0.0, transport="simulated", iterations=1)) for us in (10.0, 10.01)]
    assert pair(*simulated).ratio.is_clear and pair(*simulated).noise == 0
    assert not pair(simulated[0], simulated[0]).ratio.is_clear


def test_rows_without_a_time_and_with_wrong_elements_are_left_out() -> None:
    assert timed([row(0.0)]) == timed([row(1.0, wrong=7)]) == []


@pytest.mark.parametrize(("iterations", "is_clear"), [(1, False), (11, False), (12, True)])
def test_few_iterations_never_show_a_difference(iterations: int, is_clear: bool) -> None:
    few = [one(in_rounds([us + i / 100 for i in range(iterations)])) for us in (100.0, 200.0)]
    assert pair(*few).ratio.is_clear is is_clear


def test_what_ran_otherwise_is_not_compared_but_what_was_as_crowded_is() -> None:
    alone, crowded, disturbed = Ran("", None), Ran("4 ranks on 2 cores", None), Ran("", "It shared node n1 with job 3.")
    assert sharing(alone, alone) == sharing(crowded, crowded) == disturbance(alone, crowded) == []
    assert sharing(alone, crowded) == ["It had 4 ranks on 2 cores, and the base job a core for each rank."]
    why = "was disturbed, so differences may come from that. It shared node n1 with job 3."
    assert disturbance(alone, disturbed) == [f"This job {why}"]
    assert disturbance(disturbed, alone) == [f"The base job {why}"]
    (both,) = disturbance(disturbed, disturbed)
    assert both.startswith("Both jobs were disturbed") and both.count("It shared node n1 with job 3.") == 2


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


def test_the_variables_in_which_two_jobs_differ_are_told_without_secrets() -> None:
    base = {"NCCL_ALGO": "Ring", "HF_TOKEN": "hf_1", "OMP_NUM_THREADS": "2"}
    assert other_variables(base, dict(base)) == []
    assert other_variables(base, {"NCCL_ALGO": "Tree", "HF_TOKEN": "hf_2", "OMP_NUM_THREADS": "2"}) == [
        "Their environment variables differ: HF_TOKEN has another value; NCCL_ALGO is Tree, and Ring in the base job."
    ]
    assert other_variables({}, {"NCCL_ALGO": "Tree"}) == [
        "Their environment variables differ: NCCL_ALGO is Tree, and not set in the base job."
    ]
