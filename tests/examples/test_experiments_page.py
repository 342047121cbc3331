"""docs/experiments.md shows what was measured, and the sums behind it are right."""

import json

import pytest
from benchmarks.experiments import page as experiments_page
from benchmarks.experiments import scaling
from benchmarks.experiments import trial as trials

from ringscope.client import Step
from ringscope.contracts.record import Measurement


def test_the_page_shows_what_was_measured():
    document = json.loads(experiments_page.RESULTS.read_text())
    page = experiments_page.PAGE.read_text()
    assert experiments_page.filled(page, document) == page, "run `python -m benchmarks.experiments.page`"
    for table in experiments_page.tables(document).values():
        assert table in page


def test_a_page_that_differs_is_noticed():
    document = json.loads(experiments_page.RESULTS.read_text())
    page = experiments_page.PAGE.read_text()
    document["experiments"]["lecture"]["rows"][0]["measured_s"] *= 2
    assert experiments_page.filled(page, document) != page


def test_a_line_through_the_formula_is_straight_and_has_its_slope():
    row = trials.Row
    rows = [
        row(
            "all_reduce", "naive", hosts, 1000, 2 * (hosts - 1) * 0.11 + 0.5, 2 * (hosts - 1) * 0.1, 0.0, 0.0
        )
        for hosts in range(2, 11)
    ]  # fmt: skip
    line = scaling.fitted_line(rows)
    assert line.slope_ratio == pytest.approx(1.1)
    assert line.r_squared == pytest.approx(1.0)
    off = row("all_reduce", "ring", 4, 1000, 0.9, 1.0, 0.0, 0.0)
    assert scaling.ring_deviation([*rows, off]) == pytest.approx(0.1)


def test_the_slowest_rank_counts_and_of_the_iterations_the_lower_quartile():
    trial = trials.Trial(("ring",), 2, (4096,), iterations=5)
    fabric = trials.Fabric(2, 80_000_000, 9.5e6)
    stored = [measurement(is_in_place) for is_in_place in (False, True)]
    slow_us = [900.0, 300.0, 200.0, 400.0, 500.0, 7.0, 7.0, 7.0, 7.0, 7.0]
    steps = [
        Step(rank=rank, step=step, started_at_ns=0, duration_us=time_us / (1 + rank))
        for rank in (0, 1)
        for step, time_us in enumerate(slow_us)
    ]
    (row,) = trials.rows(trial, fabric, stored, steps)
    assert (row.measured_s, row.in_place_s) == (300e-6, 7e-6)
    assert row.predicted_s == pytest.approx(4096 / 9.5e6)
    assert row.raw_s == pytest.approx(4096 / 1e7)
    with pytest.raises(ValueError, match="9 steps of 10"):
        trials.rows(trial, fabric, stored, [step for step in steps if step.step < 9])


def measurement(is_in_place: bool) -> Measurement:
    times = dict.fromkeys(("time_us", "min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us"), 1.0)
    return Measurement(
        collective="all_reduce", algorithm="ring", transport="mpi", in_place=is_in_place, size_bytes=4096, count=1024,
        dtype="float32", op="sum", ranks=2, algbw_gb_per_s=1.0, busbw_gb_per_s=1.0, wrong=None, stdev_us=0.0,
        cv_percent=0.0, iterations=5, time_ns=0, **times,
    )  # fmt: skip
