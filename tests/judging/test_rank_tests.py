"""Rank tests: chances and intervals are those of every order counted, and stalls change neither."""

from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import exp, log

import numpy as np
import pytest

from ringscope.judging import rank_tests
from ringscope.judging.rank_tests import Ratio

TIMES = tuple(100.0 + value for value in (3, 1, 4, 1.5, 9, 2.6, 5, 3.5))
OTHERS = tuple(time * ratio for time, ratio in zip(TIMES, (1.1, 1.3, 0.9, 1.2, 1.01, 1.15, 1.4, 1.05), strict=True))


Test = Callable[[Sequence[float], Sequence[float]], Ratio]


def paired(first_us: Sequence[float], second_us: Sequence[float]) -> Ratio:
    return rank_tests.paired((tuple(first_us),), (tuple(second_us),))


def unpaired(first_us: Sequence[float], second_us: Sequence[float]) -> Ratio:
    return rank_tests.unpaired((tuple(first_us),), (tuple(second_us),))


def signed_rank_chance(differences: list[float]) -> float:
    """Count every choice of signs."""
    order = sorted(range(len(differences)), key=lambda i: abs(differences[i]))
    rank = {place: number for number, place in enumerate(order, 1)}
    total = sum(rank.values())

    def smaller(signs: tuple[bool, ...]) -> int:
        positive = sum(rank[i] for i, is_positive in enumerate(signs) if is_positive)
        return min(positive, total - positive)

    was = smaller(tuple(value > 0 for value in differences))
    every = list(product((False, True), repeat=len(differences)))
    return sum(smaller(signs) <= was for signs in every) / len(every)


def rank_sum_chance(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    """Count every way to choose which values are the first's."""
    values = sorted((*first, *second))

    def smaller(chosen: tuple[float, ...]) -> int:
        rest = [value for value in values if value not in chosen]
        above = sum(b > a for a in chosen for b in rest)
        return min(above, len(chosen) * len(rest) - above)

    every = list(combinations(values, len(first)))
    return sum(smaller(chosen) <= smaller(first) for chosen in every) / len(every)


def test_the_chance_of_pairs_is_that_of_every_choice_of_signs() -> None:
    differences = [log(b / a) for a, b in zip(TIMES, OTHERS, strict=True)]
    assert paired(TIMES, OTHERS).chance == pytest.approx(signed_rank_chance(differences))


@pytest.mark.parametrize("shift", [0.55, 2.7, 20.1])
def test_the_chance_of_two_series_is_that_of_every_order(shift: float) -> None:
    second = tuple(time + shift for time in TIMES[:6])
    assert unpaired(TIMES[:5], second).chance == pytest.approx(rank_sum_chance(TIMES[:5], second))


@pytest.mark.parametrize("test", [paired, unpaired])
def test_both_ways_round_say_the_same(test: Test) -> None:
    one, other = test(TIMES, OTHERS), test(OTHERS, TIMES)
    assert one.chance == other.chance
    assert one.value == pytest.approx(1 / other.value)
    assert (one.low, one.high) == pytest.approx((1 / other.high, 1 / other.low))


@pytest.mark.parametrize("test", [paired, unpaired])
def test_equals_differ_by_nothing(test: Test) -> None:
    found = test(TIMES, TIMES)
    assert found.value == pytest.approx(1) and found.chance == 1.0
    assert found.low <= 1 <= found.high


@pytest.mark.parametrize("test", [paired, unpaired])
def test_a_few_values_have_no_interval(test: Test) -> None:
    assert test((1.0, 2.0), (2.0, 4.5))[1:3] == (None, None)
    assert isinstance(test((1.0,), (2.0,)), Ratio)


@pytest.mark.parametrize("test", [paired, unpaired])
@pytest.mark.parametrize("count", [20, 50, 51, 100])
def test_a_stall_in_every_tenth_value_hides_no_ratio(test: Test, count: int) -> None:
    draw = np.random.default_rng(count)
    first = draw.normal(100, 2, count)
    second = 1.5 * draw.normal(100, 2, count)
    first[::10] *= 300
    found = test(tuple(first.tolist()), tuple(second.tolist()))
    assert found.low < 1.5 < found.high and found.low > 1.3
    assert found.chance < 0.02


@pytest.mark.parametrize("test", [paired, unpaired])
@pytest.mark.parametrize("count", [12, 20, 60])
def test_the_interval_holds_the_true_ratio_as_often_as_it_says(test: Test, count: int) -> None:
    draw = np.random.default_rng(7)
    held = surprising = 0
    for _ in range(400):
        series = [tuple(np.exp(draw.standard_t(2, count) / 10).tolist()) for _ in range(2)]
        found = test(*series)
        held += found.low <= 1 <= found.high
        surprising += found.chance < 0.05
    assert 0.92 < held / 400 < 0.985
    assert surprising / 400 < 0.08


def test_pairs_that_change_together_are_told_apart_where_series_are_not() -> None:
    draw = np.random.default_rng(3)
    speed = np.exp(draw.normal(0, 1, 40))
    first, second = speed * 10, speed * 10 * 1.1 * np.exp(draw.normal(0, 0.02, 40))
    both = tuple(first.tolist()), tuple(second.tolist())
    assert paired(*both).chance < 1e-6 < unpaired(*both).chance
    assert paired(*both).value == pytest.approx(exp(log(1.1)), rel=0.02)


@pytest.mark.parametrize("test", [rank_tests.paired, rank_tests.unpaired])
def test_one_odd_cycle_of_five_is_no_difference_and_five_alike_are(test: Callable[..., Ratio]) -> None:
    draw = np.random.default_rng(3)
    first = tuple(tuple(draw.normal(100, 2, 20).tolist()) for _ in range(5))
    odd = (tuple(time * 1.7 for time in first[0]), *first[1:])
    slower = tuple(tuple(time * 1.3 for time in cycle) for cycle in first)
    assert not test(first, odd).is_clear
    assert test(first, slower).is_clear
    assert test(first[:1], odd[:1]).is_clear, "a single cycle cannot show it"
