"""The order of a search's runs, and which candidates leave it."""

import random

import pytest
from tests.search.runs import of_rounds, run

from ringscope.contracts.errors import UserError
from ringscope.contracts.search.record import SearchRun
from ringscope.search.rounds import FEWEST_ROUNDS, MOST_ROUNDS, SHORT_SECONDS, Left, Rounds

NAMES = ["ring", "ddp", "servers"]


def test_all_candidates_run_once_in_each_round_and_the_direction_alternates() -> None:
    runs: list[SearchRun] = []
    for _ in range(6):
        wanted = Rounds(NAMES, runs, 1e9).next_run()
        assert wanted is not None
        runs.append(run(*wanted, 100.0))
    assert [(each.candidate, each.round) for each in runs] == [
        *(("ring", 0), ("ddp", 0), ("servers", 0)),
        *(("servers", 1), ("ddp", 1), ("ring", 1)),
    ]


def test_a_candidate_that_is_slower_by_interval_leaves_and_is_not_run_again() -> None:
    times = {"ring": [100.0, 101.0, 99.0, 100.0], "ddp": [101.0, 99.0, 102.0, 101.0], "servers": [300.0, 302.0, 299.0]}
    rounds = Rounds(NAMES, of_rounds(times), 1e9)
    (gone,) = rounds.departures
    assert (gone.candidate, gone.round, gone.why) == ("servers", FEWEST_ROUNDS - 1, Left.SLOWER)
    assert gone.sentence.startswith("It takes 3.0") and gone.sentence.endswith("times as long as ring.")
    assert rounds.left == ["ring", "ddp"] and rounds.next_run() == ("ring", 4)
    assert rounds.ranked() == ["ring", "ddp", "servers"]


def test_trials_are_compared_with_nothing() -> None:
    """The first steps of a rank initialise libraries: "ring" ran first and its trial took four times as long."""

    def runs(rounds: int) -> list[SearchRun]:
        steady = {"ring": [100.0, 101.0, 99.0, 100.0], "ddp": [110.0, 111.0, 110.0, 112.0]}
        later = of_rounds({name: times[:rounds] for name, times in steady.items()})
        trials = [run("ring", 0, 400.0, is_trial=True), run("ddp", 0, 100.0, is_trial=True)]
        return [*trials, *(each.model_copy(update={"round": each.round + 1}) for each in later)]

    only_trials = Rounds(["ring", "ddp"], runs(0), 1e9)
    assert only_trials.typical_us("ring") == pytest.approx(400 / 64)  # there is nothing else to show
    early, late = (Rounds(["ring", "ddp"], runs(rounds), 1e9) for rounds in (2, 3))
    assert early.left == ["ring", "ddp"] and early.next_run() == ("ddp", 3)
    assert late.left == ["ring"] and late.departures[0].round == 3
    ratio = late.against("ring", "ddp")
    assert ratio is not None and ratio.value == pytest.approx(1.10, rel=0.01)
    assert late.typical_us("ring") == pytest.approx(100 / 64, rel=0.01)


def test_equal_candidates_seldom_leave_each_other_and_a_slower_one_mostly_does() -> None:
    generator = random.Random(3)

    def searched(factor: float) -> list[str]:
        def times(longer: float) -> list[float]:
            return [100 * longer * generator.lognormvariate(0, 0.03) for _ in range(MOST_ROUNDS)]

        return Rounds(["ring", "ddp"], of_rounds({"ring": times(1), "ddp": times(factor)}), 1e9).left

    assert sum(len(searched(1.0)) < 2 for _ in range(40)) <= 5  # 2 expected
    assert sum(searched(1.15) == ["ring"] for _ in range(40)) >= 36


def test_the_search_ends_with_one_candidate_or_after_the_last_round_or_within_the_budget() -> None:
    alone = Rounds(["ring", "ddp"], of_rounds({"ring": [100.0] * 3, "ddp": [200.0] * 3}), 1e9)
    assert alone.left == ["ring"] and alone.next_run() is None
    equal = of_rounds({"ring": [100.0] * MOST_ROUNDS, "ddp": [100.0] * MOST_ROUNDS})
    assert Rounds(["ring", "ddp"], equal, 1e9).next_run() is None
    two = equal[:4]  # 4 s: another round would take 2 s
    assert Rounds(["ring", "ddp"], two, 6.0).next_run() is not None
    assert Rounds(["ring", "ddp"], two, 5.9).next_run() is None
    assert Rounds(["ring", "ddp"], equal[:3], 3.0).next_run() == ("ddp", 1)  # a round that has begun is ended
    libraries = [run("ring", 0, 100.0, seconds=9.0), run("ddp", 0, 100.0)]  # they initialise in the first run
    assert Rounds(["ring", "ddp"], libraries, 12.0).next_run() is not None
    assert Rounds(["ring", "ddp"], libraries, 11.9).next_run() is None


def test_a_budget_that_cannot_hold_one_run_each_says_how_much_it_takes() -> None:
    sentence = (
        "budget_seconds: 10 s cannot hold one short run of each of 3 candidates, which takes about 12 s; raise it"
    )
    with pytest.raises(UserError, match=sentence):
        Rounds(NAMES, [run(name, 0, 100.0, seconds=4.0) for name in NAMES[:2]], 10).next_run()
    first = run(NAMES[0], 0, 100.0, seconds=8.0)  # libraries initialise in it
    assert Rounds(NAMES, [first], 10).next_run() == (NAMES[1], 0)
    assert Rounds(NAMES, [first, run(NAMES[1], 0, 100.0, seconds=1.0)], 10).next_run() == (NAMES[2], 0)
    assert Rounds(NAMES, [run("ring", 0, 100.0, seconds=4.0)], 12).next_run() == ("ddp", 0)


def test_a_killed_run_is_repeated_once_and_then_costs_the_candidate_not_the_search() -> None:
    first = [run("ring", 0, 100.0), run("ddp", 0, 100.0, failure="Rank 1 was killed by signal 9.")]
    assert Rounds(["ring", "ddp"], first, 1e9).next_run() == ("ddp", 0)
    again = [*first, run("ddp", 0, 101.0)]
    assert Rounds(["ring", "ddp"], again, 1e9).left == ["ring", "ddp"]
    twice = Rounds(["ring", "ddp", "servers"], [*first, first[1], run("servers", 0, 99.0)], 1e9)
    assert twice.left == ["ring", "servers"]
    (gone,) = twice.departures
    assert (gone.why, gone.sentence) == (Left.FAILED, "Its runs failed: Rank 1 was killed by signal 9.")


def test_the_next_attempt_goes_on_from_what_is_known() -> None:
    """The next run depends on the earlier runs alone, so that nothing is lost with a killed process."""
    runs = of_rounds({"ring": [100.0] * 3, "ddp": [103.0] * 3, "servers": [300.0] * 2})
    for count in range(1, len(runs)):
        known = runs[:count]
        assert Rounds(NAMES, known, 1e9).next_run() == Rounds(NAMES, list(known), 1e9).next_run()


def test_the_last_round_of_a_budget_decides_by_the_chance_that_is_left() -> None:
    """A candidate that would stay for a fourth round leaves in the third one if the budget holds no other."""
    runs = of_rounds({"ring": [100.0, 103.0, 98.0], "ddp": [128.0, 125.0, 133.0]})
    (gone,) = Rounds(["ring", "ddp"], runs, 7.9).departures
    assert (gone.candidate, gone.round) == ("ddp", 2)
    more = Rounds(["ring", "ddp"], runs, 8.0)
    assert more.left == ["ring", "ddp"] and more.next_run() == ("ddp", 3)


def test_the_end_by_a_budget_stays_the_end_when_fewer_are_left() -> None:
    runs = of_rounds({name: [100.0 * factor] * 3 for name, factor in (("ring", 1.0), ("ddp", 1.0), ("servers", 1.5))})
    ended = Rounds(NAMES, [each.model_copy(update={"seconds": 1.0}) for each in runs], 9.5)
    assert ended.left == ["ring", "ddp"] and ended.next_run() is None


def test_two_rounds_are_too_few_also_at_the_end() -> None:
    assert Rounds(["ring", "ddp"], of_rounds({"ring": [100.0] * 2, "ddp": [300.0] * 2}), 4.0).left == ["ring", "ddp"]


def spent(rounds_seconds: list[float]) -> list[SearchRun]:
    """Rounds of two equal candidates: a trial each, then runs of so many seconds, of which 0.5 s are their start."""
    return [
        run(name, number, 1000.0, seconds=seconds, steps=round(1000 * (seconds - 0.5)), is_trial=number == 0)
        for number, seconds in enumerate(rounds_seconds)
        for name in ("ring", "ddp")
    ]


def timed_seconds(rounds_seconds: list[float], budget_seconds: float) -> float:
    rounds = Rounds(["ring", "ddp"], spent(rounds_seconds), budget_seconds)
    return rounds.timed_seconds(len(rounds_seconds))


def test_runs_are_short_until_candidates_may_leave_and_then_fill_the_budget() -> None:
    assert {timed_seconds([1.0] * number, 100.0) for number in range(4)} == {SHORT_SECONDS}
    assert timed_seconds([1.0] * 4, 100.0) == pytest.approx(0.95 * 92 / 16 - 0.9)
    assert timed_seconds([1.0] * 4, 10.0) == SHORT_SECONDS
    assert timed_seconds([1.0] * 4, 10_000.0) == 15.0
    known: list[float] = [1.0] * 4
    while Rounds(["ring", "ddp"], spent(known), 100.0).next_run() is not None:
        known.append(0.9 + timed_seconds(known, 100.0))
    assert len(known) == MOST_ROUNDS and 95 < 2 * sum(known) <= 100


def test_all_runs_of_a_round_are_as_long() -> None:
    runs = spent([1.0] * 4)
    at_first = Rounds(["ring", "ddp"], runs, 100.0).timed_seconds(4)
    assert Rounds(["ring", "ddp"], [*runs, run("ring", 4, 1000.0, seconds=9.0)], 100.0).timed_seconds(4) == at_first
