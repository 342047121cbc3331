"""The interval of a reached rate: it holds the quantile, and is missing where there is too little."""

import random

import pytest

from ringscope.preflight.intervals import FEWEST, REACHED, Interval, hull, reached


def test_too_few_rates_have_no_interval() -> None:
    assert reached([1.0] * (FEWEST - 1)) is None
    assert reached([1.0] * FEWEST) == Interval(1.0, 1.0)


@pytest.mark.parametrize("count", [17, 40, 300])
def test_it_holds_the_quantile_in_95_percent_of_samples(count: int) -> None:
    dice = random.Random(count)
    held = 0
    for _ in range(400):
        interval = reached([dice.random() for _ in range(count)])
        assert interval is not None
        held += interval.low <= REACHED <= interval.high
    assert held >= 0.93 * 400


def test_a_long_measurement_of_a_fast_machine_has_an_interval() -> None:
    rates = [float(number) for number in range(20_000)]
    interval = reached(rates)
    assert interval is not None
    assert interval.low < REACHED * len(rates) < interval.high
    assert interval.high - interval.low < 0.015 * len(rates)


def test_single_slow_measurements_move_it_little() -> None:
    dice = random.Random(1)
    rates = [dice.gauss(10, 0.1) for _ in range(100)]
    calm = reached(rates)
    disturbed = reached([rate / 2 if number % 3 == 0 else rate for number, rate in enumerate(rates)])
    assert calm is not None and disturbed is not None
    assert disturbed.middle == pytest.approx(calm.middle, rel=0.02)


def test_the_hull_holds_all_parts() -> None:
    assert hull([Interval(2, 3), Interval(1, 2.5)]) == Interval(1, 3)
