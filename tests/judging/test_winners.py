"""The winner of a whole sweep is named only if chance alone hardly ever makes one."""

import numpy as np
import pytest
from tests.judging.test_comparison import timed

from ringscope.contracts.record import Measurement
from ringscope.judging.comparison import SweepComparison
from ringscope.judging.winners import Range, Win, Winners

SIZES = [8 << step for step in range(22)]  # to 16 MiB


def row(algorithm: str, size_bytes: int, time_us: float, error: float, in_place: bool = False) -> Measurement:
    told = timed(np.random.default_rng(1), 20, 0.0)
    interval = {"time_low_us": time_us * (1 - error), "time_high_us": time_us * (1 + error)}
    return told.model_copy(
        update={
            "algorithm": algorithm,
            "size_bytes": size_bytes,
            "in_place": in_place,
            "time_us": time_us,
            **interval,
        }
    )


def swept(draw: np.random.Generator, iterations: int, shift: float, names: str, slower: float = 1.0) -> Winners:
    """All alike but the last one."""
    rows = []
    for size in SIZES:
        for in_place in (False, True):
            for name in names:
                time_us = 100.0 * (slower if name == names[-1] else 1.0)
                told = timed(draw, iterations, shift, time_us)
                rows.append(told.model_copy(update={"algorithm": name, "size_bytes": size, "in_place": in_place}))
    return Winners(SweepComparison.of(rows))


def is_decided(winners: Winners) -> bool:
    return any(len(each.winners) == 1 for in_place in (False, True) for each in winners.ranges(in_place))


@pytest.mark.parametrize("odd", [8, 64 << 10, 16 << 20])
def test_one_size_that_is_barely_clear_among_many_names_no_winner(odd: int) -> None:
    rows = [row(name, size, 95 if (name, size) == ("a", odd) else 100, 0.03) for size in SIZES for name in "ab"]
    alone = [one for one in rows if one.size_bytes == odd]
    assert Winners(SweepComparison.of(alone)).ranges(in_place=False) == [Range([odd], ["a"], True)]
    assert [set(each.winners) for each in Winners(SweepComparison.of(rows)).ranges(in_place=False)] == [{"a", "b"}]


def test_the_size_that_was_fixed_beforehand_stands_for_itself() -> None:
    rows = [row(name, size, 95 if (name, size) == ("a", 1 << 20) else 100, 0.03) for size in SIZES for name in "ab"]
    assert Winners(SweepComparison.of(rows)).is_clear(Win(1 << 20, False, "a", "b"))


def test_one_size_at_which_chance_does_not_make_the_difference_is_told() -> None:
    rows = [row(name, size, 70 if (name, size) == ("a", 64) else 100, 0.03) for size in SIZES for name in "ab"]
    assert Winners(SweepComparison.of(rows)).is_clear(Win(64, False, "a", "b"))


def test_many_equals_at_one_size_are_more_pairs_of_which_one_may_be_clear_by_chance() -> None:
    times = {"a": 96.0, "b": 99.0, "c": 99.5, "d": 100.0, "e": 100.5}
    five = Winners(SweepComparison.of(row(name, 1 << 20, time_us, 0.03) for name, time_us in times.items()))
    pair = Winners(SweepComparison.of(row(name, 1 << 20, times[name], 0.03) for name in "ae"))
    assert pair.at(1 << 20, in_place=False) == ["a"]
    assert len(five.at(1 << 20, in_place=False)) == 5


@pytest.mark.long
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
@pytest.mark.parametrize(("iterations", "names"), [(12, "ab"), (20, "ab"), (100, "ab"), (20, "abcd")])
def test_of_equals_hardly_ever_one_wins_any_range_of_a_sweep(iterations: int, names: str, shift: float) -> None:
    draw = np.random.default_rng(11)
    tries = 400
    assert sum(is_decided(swept(draw, iterations, shift, names)) for _ in range(tries)) / tries < 0.05


@pytest.mark.long
def test_a_third_is_told_at_most_sizes() -> None:
    draw = np.random.default_rng(12)
    tries = 20
    found = [swept(draw, 20, 0.05, "ab", slower=1.33).ranges(in_place=False) for _ in range(tries)]
    assert sum(len(ranges) == 1 and ranges[0].winners == ["a"] for ranges in found) == tries
