"""The adaptive state chooses the algorithm for the next steps, with made-up times: a slower link, noise, stalls."""

import random
from itertools import groupby

import pytest

from ringscope.train.adaptive.state import AutoState

FAST = {"ring": 10.0, "hierarchical": 13.0, "tree": 25.0, "naive": 60.0}
SLOW = {"ring": 52.0, "hierarchical": 30.0, "tree": 80.0, "naive": 300.0}  # hierarchical sends less between nodes
SEEDS = range(8)


class Run:
    """Steps whose sums take made-up times; ``changes`` are the steps of changes, with what was used then."""

    def __init__(self, candidates=tuple(FAST), spread=0.1, seed=0, stall=0.0):
        self.state, self.step = AutoState.first(candidates), 0
        self.changes, self.used = [], []
        self._random, self._spread, self._stall = random.Random(seed), spread, stall

    def time_of(self, times_ms, name):
        factor = self._random.lognormvariate(0, self._spread)
        if self._random.random() < self._stall:
            factor *= 20
        return times_ms[name] * factor * 1e3

    def steps(self, count, times_ms):
        end = self.step + count
        while self.step < end:
            block = self.state.block
            self.used += block
            self.step += len(block)
            self.state, change = self.state.after([self.time_of(times_ms, name) for name in block])
            if change is not None:
                self.changes.append((self.step, change))
        return self


def names(run):
    return [(change.before, change.after) for _, change in run.changes]


@pytest.mark.parametrize("seed", SEEDS)
def test_ring_and_hierarchical_change_places_within_50_steps_of_a_slower_link_and_back(seed):
    run = Run(seed=seed).steps(100, FAST)
    assert (run.state.using, run.changes) == ("ring", [])
    slow_from = run.step
    run.steps(50, SLOW)
    assert names(run) == [("ring", "hierarchical")]
    assert run.changes[0][0] - slow_from <= 50
    run.steps(150, SLOW)
    assert len(run.changes) == 1
    healed_from = run.step
    run.steps(50, FAST)
    assert names(run) == [("ring", "hierarchical"), ("hierarchical", "ring")]
    assert run.changes[1][0] - healed_from <= 50
    assert len(run.steps(500, FAST).changes) == 2


@pytest.mark.parametrize("spread", [0.05, 0.3, 0.6])
def test_equal_algorithms_do_not_take_turns_in_noise(spread):
    equal = dict.fromkeys(FAST, 10.0)
    runs = [Run(spread=spread, seed=seed).steps(1_000, equal) for seed in SEEDS]
    assert max(len(run.changes) for run in runs) <= 2
    assert sum(len(run.changes) for run in runs) <= len(runs) / 4
    tried = [sum(1 for _ in groupby(run.used)) for run in runs]
    assert sum(tried) / len(tried) < 100  # most steps are summed by the algorithm in use


def test_a_step_that_stalls_now_and_then_changes_nothing():
    runs = [Run(seed=seed, stall=0.05).steps(1_000, FAST) for seed in SEEDS]
    assert [run.state.using for run in runs] == ["ring"] * len(runs)
    assert sum(len(run.changes) for run in runs) <= len(runs) / 4


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_steps_find_that_another_one_is_faster(seed):
    run = Run(("tree", "ring", "hierarchical", "naive"), seed=seed).steps(30, FAST)
    assert run.state.using == "ring" and run.changes[0][0] <= 30
    assert names(run) == [("tree", "ring")]


def test_all_of_them_slower_alike_are_tried_once_and_then_left_alone():
    twice = {name: 2.5 * time for name, time in FAST.items()}
    run = Run().steps(100, FAST)
    tried = len(run.used)
    run.steps(1_000, twice)
    assert run.changes == []
    assert 2 <= sum(name == "hierarchical" for name in run.used[tried:]) <= 8


def test_candidates_that_are_far_behind_are_left_out_of_the_trial():
    run = Run().steps(100, FAST | {"naive": 500.0})
    assert run.used.count("naive") == 1  # in the first round, which does not count
    assert run.used.count("tree") == 3
    assert run.used.count("hierarchical") == 7


def test_a_change_says_why_in_numbers():
    run = Run(spread=0.01).steps(100, FAST).steps(50, SLOW)
    [(_, change)] = run.changes
    assert change.because.startswith("Sums became 5.2 times slower (5.1 to 5.2 times): hierarchical 30")
    assert "ring was left out after 2 steps of 52" in change.because
    near = FAST | {"hierarchical": 8.0}
    [(_, change)] = Run(spread=0.01).steps(40, near).changes
    assert change.because.startswith("The likely algorithms were tried in the first steps: hierarchical 7.97")
    assert "hierarchical takes 0.79 of the time of ring (0.78 to 0.81)." in change.because


def test_a_single_round_is_no_reason_to_change():
    state = AutoState.first(("ring", "direct"))
    state, change = state.after([10.0, 1.0])
    assert change is None and state.using == "ring"
