"""How sure the comparison of two algorithms is."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringscope.bench.timing import mean_interval, rounds
from ringscope.contracts.record import Measurement
from ringscope.judging.comparison import Point, SweepComparison, point_of, sure_of

# The page's tests read the same table, so that several cycles are the same point on both sides.
EXAMPLES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "frontend/src/lib/sweep/cycles.json").read_text()
)
WITHIN = 0.1  # how iterations of a round differ, as a share


def timed(
    draw: np.random.Generator, iterations: int, shift: float, time_us: float = 100.0, cycle: int = 0
) -> Measurement:
    """One algorithm, as the machine's speed shifts from round to round."""
    blocks = [
        time_us * (1 + shift * draw.normal()) * (1 + WITHIN * draw.normal(size=count)) for count in rounds(iterations)
    ]
    low_us, high_us = mean_interval(blocks) or (None, None)
    mean_us = float(np.concatenate(blocks).mean())
    times = dict.fromkeys(("min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us"), mean_us)
    return Measurement(
        **times,
        collective="all_reduce",
        algorithm="ring",
        transport="mpi",
        in_place=False,
        cycle=cycle,
        size_bytes=1024,
        count=256,
        dtype="float32",
        op="sum",
        ranks=2,
        iterations=iterations,
        time_us=mean_us,
        time_low_us=low_us,
        time_high_us=high_us,
        algbw_gb_per_s=1.0,
        busbw_gb_per_s=1.0,
        wrong=0,
        stdev_us=0.0,
        cv_percent=0.0,
        time_ns=0,
    )


def a_row(cycle: int, **columns: Any) -> Measurement:
    """One row of the table of examples."""
    usual = timed(np.random.default_rng(7), columns.get("iterations", 20), 0.0, cycle=cycle)
    return usual.model_copy(update=columns)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["name"] for example in EXAMPLES])
def test_cycles_become_the_point_of_the_table_that_the_page_reads(example: dict[str, Any]) -> None:
    expected = example["point"]
    comparison = SweepComparison.of(a_row(cycle, **columns) for cycle, columns in enumerate(example["rows"]))
    [point] = comparison.at(1024, in_place=False).values()
    assert point.time_us == pytest.approx(expected["time_us"])
    assert point.busbw_gb_per_s == pytest.approx(expected["busbw_gb_per_s"])
    assert point.interval_us() == (expected["interval_us"] and pytest.approx(tuple(expected["interval_us"]), rel=1e-3))
    assert (point.iterations, point.is_unstable) == (expected["iterations"], expected["is_unstable"])
    assert comparison.wrong == (expected["wrong"] or 0)


def of_cycles(
    draw: np.random.Generator, cycles: int, iterations: int, shift: float, time_us: float = 100.0, apart: float = 0.0
) -> Point:
    """``apart``: by which share the cycles' own means differ."""
    means_us = (time_us * (1 + apart * draw.normal()) if apart else time_us for _ in range(cycles))
    first, *others = (timed(draw, iterations, shift, mean_us) for mean_us in means_us)
    point = point_of(first)
    for other in others:
        point = point.with_row(other)
    return point


def clear_share(iterations: int, shift: float, cycles: int = 1, slower: float = 1.0, apart: float = 0.0) -> float:
    """How often one of two is called clearly faster."""
    draw = np.random.default_rng(7)
    tries = 200
    clear = 0
    for _ in range(tries):
        one = of_cycles(draw, cycles, iterations, shift, apart=apart)
        other = of_cycles(draw, cycles, iterations, shift, 100.0 * slower, apart)
        clear += one.faster_than(other).is_clear or other.faster_than(one).is_clear
    return clear / tries


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("iterations", [5, 8, 12, 16, 20, 23])
def test_of_equals_hardly_ever_one_wins_however_the_machine_changes_from_round_to_round(
    iterations: int, shift: float
) -> None:
    assert clear_share(iterations, shift) <= 0.05


@pytest.mark.parametrize(("cycles", "iterations"), [(2, 20), (3, 12), (5, 5), (8, 4)])
def test_nor_does_it_over_several_cycles(cycles: int, iterations: int) -> None:
    assert clear_share(iterations, 0.1, cycles) <= 0.05


@pytest.mark.parametrize("apart", [0.03, 0.05, 0.1])
@pytest.mark.parametrize("cycles", [2, 3])
def test_nor_where_each_algorithm_is_as_fast_as_chance_has_it_in_each_cycle(cycles: int, apart: float) -> None:
    assert clear_share(20, 0.02, cycles, apart=apart) <= 0.05


def test_cycles_that_differ_no_more_than_their_rows_allow_are_as_sure_as_these() -> None:
    row = timed(np.random.default_rng(3), 20, 0.1)
    one, two = point_of(row), point_of(row).with_row(row)
    assert one.error and two.error and one.error.values == two.error.values == 5
    assert two.error.standard == pytest.approx(one.error.standard / 2**0.5)


def test_two_cycles_that_differ_by_more_tell_hardly_anything() -> None:
    row = timed(np.random.default_rng(3), 20, 0.01)
    apart = point_of(row).with_row(row.model_copy(update={"time_us": row.time_us * 1.2}))
    assert apart.error and apart.error.values == 2
    low_us, high_us = apart.interval_us() or (0.0, 0.0)
    assert low_us < row.time_us < 2 * row.time_us < high_us


def test_a_fifth_is_mostly_told_by_the_iterations_that_are_usual() -> None:
    assert clear_share(20, 0.05, slower=1.2) > 0.7
    assert clear_share(100, 0.05, slower=1.2) > 0.9


def test_few_values_take_a_wider_interval() -> None:
    assert [round(sure_of(values), 2) for values in (2, 5, 10, 11, 31, 10_000)] == [12.71, 2.78, 2.26, 2.21, 2.04, 1.96]
