"""The comparison of two algorithms calls one of them clearly faster only if it is certain enough."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringscope.bench.timing import mean_interval
from ringscope.contracts.benchmark import MOST_ROUNDS, batches
from ringscope.contracts.record import Measurement
from ringscope.judging.comparison import Point, SweepComparison, point_of
from ringscope.judging.intervals import sure_of

# The page's tests read the same table, so that several cycles are the same point on both sides.
EXAMPLES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "frontend/src/lib/sweep/cycles.json").read_text()
)
WITHIN = 0.1  # how iterations of a batch differ, as a share


def timed(
    draw: np.random.Generator, iterations: int, shift: float, time_us: float = 100.0, cycle: int = 0
) -> Measurement:
    """One algorithm of an earlier version, without rounds, as the machine's speed shifts from batch to batch."""
    blocks = [
        time_us * (1 + shift * draw.normal()) * (1 + WITHIN * draw.normal(size=count)) for count in batches(iterations)
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
    """Return the share of 200 tries in which one of two algorithms is called clearly faster."""
    draw = np.random.default_rng(7)
    tries = 200
    clear = 0
    for _ in range(tries):
        one = of_cycles(draw, cycles, iterations, shift, apart=apart)
        other = of_cycles(draw, cycles, iterations, shift, 100.0 * slower, apart)
        clear += one.against(other).is_clear
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


def in_turns(
    draw: np.random.Generator, iterations: int, slower: float = 1.0, stalled: float = 0.0, cycle: int = 0
) -> tuple[Measurement, Measurement]:
    """Two algorithms that took turns while the machine's speed changed, and stalls of 100 times hit some rounds."""
    speed = np.exp(0.1 * draw.normal(size=iterations).cumsum())
    found = []
    for factor in (1.0, slower):
        stalls = np.where(draw.random(iterations) < stalled, 100.0 * draw.random(iterations), 1.0)
        times_us = 100 * factor * speed * stalls * (1 + 0.05 * abs(draw.normal(size=iterations)))
        mean_us, low_us, high_us = float(times_us.mean()), *(mean_interval(np.split(times_us, 4)) or (None, None))
        update = {"time_us": mean_us, "time_low_us": low_us, "time_high_us": high_us, "rounds_us": times_us.tolist()}
        found.append(timed(draw, iterations, 0.0, cycle=cycle).model_copy(update=update))
    return found[0], found[1]


def of_rows(*rows: Measurement) -> Point:
    """Return one point of a row for each cycle."""
    point = point_of(rows[0])
    for row in rows[1:]:
        point = point.with_row(row)
    return point


@pytest.mark.parametrize(
    ("iterations", "stalled", "found"), [(20, 0.0, 95), (20, 0.1, 65), (100, 0.0, 95), (100, 0.1, 95), (100, 0.3, 80)]
)
def test_rounds_in_turns_show_a_difference_that_means_hide(iterations: int, stalled: float, found: int) -> None:
    draw = np.random.default_rng(11)
    by_rounds = by_means = 0
    for _ in range(100):
        one, other = in_turns(draw, iterations, 1.5, stalled)
        by_rounds += point_of(one).against(point_of(other)).is_clear
        without = (point_of(row.model_copy(update={"rounds_us": None})) for row in (one, other))
        by_means += next(without).against(next(without)).is_clear
    assert by_rounds >= found
    assert by_means <= (20 if stalled else 65)


@pytest.mark.parametrize("stalled", [0.0, 0.3])
@pytest.mark.parametrize("cycles", [1, 2, pytest.param(5, marks=pytest.mark.long)])
def test_equals_in_turns_are_hardly_ever_told_apart(cycles: int, stalled: float) -> None:
    draw = np.random.default_rng(5)
    clear = 0
    for _ in range(200):
        pairs = [in_turns(draw, 40, stalled=stalled, cycle=cycle) for cycle in range(cycles)]
        one, other = (of_rows(*rows) for rows in zip(*pairs, strict=True))
        clear += one.against(other).is_clear
    assert clear / 200 <= 0.08  # 95 % intervals


def test_of_many_cycles_as_many_rounds_are_kept_as_of_one() -> None:
    draw = np.random.default_rng(5)
    pairs = [in_turns(draw, 20, 1.5, cycle=cycle) for cycle in range(40)]
    one, other = (of_rows(*rows) for rows in zip(*pairs, strict=True))
    assert one.cycles == 40 and sum(map(len, one.rounds_us)) <= MOST_ROUNDS and one.merged > 1
    late = of_rows(*(row for row, _ in pairs[:-1]))
    for point in (one, late):  # the newest row of one may be on its way
        ratio = point.against(other)
        assert ratio.low and ratio.low < 1.5 < (ratio.high or 0)


def test_the_median_of_the_rounds_is_typical_where_a_stall_ruins_the_mean() -> None:
    row, _ = in_turns(np.random.default_rng(1), 20)
    rounds_us = [100.0] * 19 + [100_000.0]
    point = point_of(row.model_copy(update={"time_us": 5_095.0, "rounds_us": rounds_us}))
    assert (point.time_us, point.typical_us) == (5_095.0, 100.0)
    assert point_of(row.model_copy(update={"rounds_us": None})).typical_us == row.time_us


def test_a_point_is_stored_with_its_rounds() -> None:
    row, _ = in_turns(np.random.default_rng(1), 20)
    comparison = SweepComparison.of([row])
    assert SweepComparison.model_validate(comparison.model_dump(mode="json")) == comparison


def test_a_point_that_an_earlier_version_stored_has_no_rounds() -> None:
    stored = SweepComparison.of([timed(np.random.default_rng(1), 20, 0.0)]).model_dump(mode="json")
    [curve] = stored["curves"]
    curve["points"] = {size: point[:-2] for size, point in curve["points"].items()}
    [point] = SweepComparison.model_validate(stored).curves[0].points.values()
    assert point.rounds_us == () and point.against(point).value == 1.0


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


def test_rows_whose_rounds_do_not_belong_together_are_compared_by_their_means() -> None:
    draw = np.random.default_rng(1)
    one, other = point_of(in_turns(draw, 20)[0]), point_of(in_turns(draw, 32)[1])
    assert one.against(other).value == other.time_us / one.time_us
