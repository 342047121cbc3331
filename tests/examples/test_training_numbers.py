"""docs/training.md shows what was measured, and the sums behind it are right."""

import json

from benchmarks.training import page as page_of_figures
from benchmarks.training import rounds as rounds_of
from benchmarks.training import turns


def test_the_page_shows_what_was_measured():
    page, documents = page_of_figures.PAGE.read_text(), page_of_figures.results()
    assert page_of_figures.filled(page, documents) == page, "run `python -m benchmarks.training.page`"
    for name, made in page_of_figures.tables(documents).items():
        assert f"<!-- measured {name} -->\n{made}\n<!-- end -->" in page


def test_a_page_that_differs_is_noticed():
    page, documents = page_of_figures.PAGE.read_text(), json.loads(json.dumps(page_of_figures.results()))
    for figures in documents["training"]["comparisons"]["mlp"]["rounds"].values():
        figures["step_us"] = [2 * time_us for time_us in figures["step_us"]]
    assert page_of_figures.filled(page, documents) != page


def test_of_a_turn_the_median_step_counts():
    step = turns.GangStep
    turn = [step(duration_us, duration_us / 10, 50.0, 32) for duration_us in (1000.0, 2000.0, 90_000.0)]
    found = rounds_of.figures([turn, turn[:1]])
    assert found["step_us"] == [2000.0, 1000.0]
    assert found["exposed_us"] == [200.0, 100.0]
    assert found["samples_per_second"] == [16_000.0, 32_000.0]
    assert found["steps"] == [3, 1]


def test_a_ratio_is_taken_within_each_round():
    rounds = {"ours": {"step_us": [1.0, 20.0, 30.0]}, "theirs": {"step_us": [2.0, 80.0, 30.0]}}
    outcome = rounds_of.Outcome(rounds, {"other": "It refused."})
    assert outcome.ratio("ours", "theirs") == rounds_of.Spread(0.5, 0.375, 0.75)
    assert outcome.ratio("ours", "other") is None


def test_of_all_ranks_the_slowest_makes_the_step():
    rank = turns._RankStep
    step = turns._gang_step([rank(0, 100.0, 10.0, 30.0, 5), rank(5, 90.0, 20.0, 40.0, 3)])
    assert step == turns.GangStep(100.0, 15.0, 35.0, 8)
    ranks = {0: rank(1000, 2.0, 0.0, 0.0, 1), 1: rank(1500, 2.0, 0.0, 0.0, 1)}
    assert turns._is_inside(ranks, 1000, 3500)
    assert not turns._is_inside(ranks, 1001, 3500)
    assert not turns._is_inside(ranks, 1000, 3499)
