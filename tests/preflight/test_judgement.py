"""A rate is low only if its interval is wholly below the baseline's, twice, and not under other load."""

import random

import pytest

from ringscope.preflight.intervals import Interval, hull, reached
from ringscope.preflight.judgement import (
    FINE,
    LOW,
    UNKNOWN,
    WRONG,
    Finding,
    compared,
    compared_cards,
    confirmed,
    overall,
    word_of,
)

BASE = Interval(10.0, 10.4)


@pytest.mark.parametrize(
    ("measured", "word"),
    [
        (Interval(9.8, 10.2), FINE),
        (Interval(9.0, 9.3), LOW),
        (Interval(9.0, 9.6), FINE),  # it may be 4 % lower, which two healthy runs differ
        (Interval(8.0, 10.0), UNKNOWN),
        (Interval(11.0, 12.0), FINE),
    ],
)
def test_only_an_interval_that_is_wholly_below_is_low(measured: Interval, word: str) -> None:
    assert word_of(measured, BASE) == word


def test_without_measurements_or_baseline_nothing_is_judged() -> None:
    few, none = compared("memory", None, BASE), compared("memory", BASE, None)
    assert {few.word, none.word} == {UNKNOWN}
    assert "--for" in few.sentence and "--baseline" in none.sentence


def test_a_card_without_its_link_or_with_a_slower_one_is_low() -> None:
    found = compared_cards({"eth0": 10, "ib0": 0, "new": 1}, {"eth0": 25, "eth1": 25, "ib0": 400, "new": 1})
    assert [(one.name, one.word) for one in found] == [("eth0", LOW), ("eth1", LOW), ("ib0", LOW), ("new", FINE)]
    assert "10 Gbit/s, where the baseline has 25" in found[0].sentence and "missing" in found[1].sentence


def finding(word: str) -> Finding:
    return Finding("memory", word, word)


@pytest.mark.parametrize(
    ("first", "again", "other_share", "word"),
    [
        (LOW, LOW, 0.0, LOW),
        (LOW, LOW, 0.5, UNKNOWN),
        (LOW, FINE, 0.0, FINE),
        (LOW, UNKNOWN, 0.0, UNKNOWN),
        (UNKNOWN, UNKNOWN, 0.0, UNKNOWN),
        (FINE, None, 0.9, FINE),
        (WRONG, FINE, 0.0, WRONG),
        (FINE, WRONG, 0.9, WRONG),
    ],
)
def test_low_is_what_is_low_twice_and_not_by_other_programs(
    first: str, again: str | None, other_share: float, word: str
) -> None:
    later = [finding(again)] if again else []
    (one,) = confirmed([finding(first)], later, other_share, 0.1)
    assert one.word == word


@pytest.mark.parametrize(
    ("reached_share", "other_share", "word"), [(0.3, 0.5, UNKNOWN), (0.1, 0.5, LOW), (0.01, 0.6, UNKNOWN)]
)
def test_a_rate_far_below_what_other_programs_explain_is_low(
    reached_share: float, other_share: float, word: str
) -> None:
    """Programs that use half of the processors explain an eighth of the rate; beside more, any rate is possible."""
    low = compared("memory", Interval(10 * reached_share, 10.1 * reached_share), BASE)
    (one,) = confirmed([low], [low], other_share, 0.1)
    assert one.word == word


def test_the_worst_finding_decides_and_nothing_judged_is_not_fine() -> None:
    assert overall([finding(FINE), finding(UNKNOWN)]) == UNKNOWN
    assert overall([finding(LOW), finding(UNKNOWN), finding(FINE)]) == LOW
    assert overall([finding(LOW), finding(WRONG)]) == WRONG
    assert overall([]) == UNKNOWN


def test_healthy_machines_are_not_low_and_a_loss_of_a_tenth_is() -> None:
    """Simulated checks: measurements vary by 2 %, runs by 1 %, and other work halves one measurement of four."""
    dice = random.Random(3)

    def interval(loss: float) -> Interval:
        run = 10 * (1 - loss) * dice.gauss(1, 0.01)
        rates = [run * dice.gauss(1, 0.02) * (0.5 if dice.random() < 0.25 else 1) for _ in range(60)]
        found = reached(rates)
        assert found is not None
        return found

    def check(loss: float, base: Interval) -> str:
        first, again = (compared("memory", interval(loss), base) for _ in range(2))
        (one,) = confirmed([first], [again], 0.0, 0.1)
        return one.word

    bases = [hull([interval(0) for _ in range(4)]) for _ in range(300)]
    assert sum(check(0, base) != FINE for base in bases) <= 3
    assert sum(check(0.1, base) == LOW for base in bases) >= 0.95 * 300
