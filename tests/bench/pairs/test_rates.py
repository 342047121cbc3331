"""The interval of a link's bandwidth: it holds the median, is robust, and narrows with more messages."""

import random

import pytest

from ringscope.bench.pairs.rates import measured


def test_the_interval_holds_the_median_nearly_always() -> None:
    draw = random.Random(2)
    for count in (6, 12, 18, 30):
        held = 0
        for _ in range(2000):
            rate = measured(1000, [1 / draw.lognormvariate(0, 0.1) for _ in range(count)])
            held += rate.low <= 1000 <= rate.high
        assert held >= 0.94 * 2000, count


def test_one_disturbed_message_of_many_changes_neither_interval_nor_spread() -> None:
    calm = [1.0 + 0.001 * number for number in range(12)]
    rate = measured(1000, [*calm[:-1], 9.0])
    assert rate.width < 0.02 and rate.spread < 0.02 and rate.messages == 12


def test_messages_that_differ_widely_have_a_large_spread() -> None:
    assert measured(1000, [1, 3, 1, 3, 1, 3, 2, 3]).spread > 0.5


def test_too_few_messages_have_no_interval() -> None:
    with pytest.raises(ValueError, match="too few"):
        measured(1000, [1.0] * 5)
