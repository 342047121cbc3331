"""The next training does not try again what ``auto`` has found."""

import pytest
from tests.train.adaptive.test_tuner import RANKS, TIMES_US, Communicator, followed
from tests.train.virtual_ranks import on_ranks

from ringscope.train.adaptive.learned import Learned
from ringscope.train.adaptive.state import AutoState
from ringscope.train.adaptive.tuner import Tuner

NAMES = ("ring", "hierarchical", "tree")


def tuned(comm, learned, steps, sizes_bytes=(4112,)):
    """Train for some steps; return the algorithm of each."""
    _, used, _ = followed(comm, TIMES_US | {"ring": 160.0}, steps, Tuner(comm, sizes_bytes, "float32", learned))
    return used


def test_the_next_training_begins_with_the_algorithm_that_was_found():
    def program(comm):
        learned = Learned()
        return tuned(comm, learned, 60), tuned(comm, learned, 10), tuned(comm, Learned(), 10), learned.trial_steps

    every = on_ranks(RANKS, program, Communicator)
    assert all(told == every[0] for told in every)
    first, again, anew, trial_steps = every[0]
    assert set(first) == set(TIMES_US) and first[-1] == "hierarchical"
    assert set(again) == {"hierarchical"} and trial_steps == 0
    assert set(anew) == set(TIMES_US)


def test_a_trial_goes_on_in_the_next_training():
    def program(comm):
        learned = Learned()
        used = [name for _ in range(20) for name in tuned(comm, learned, 3)]
        return used, learned.trial_steps

    used, trial_steps = on_ranks(RANKS, program, Communicator)[0]
    assert (set(used[:9]), set(used[-9:]), trial_steps) == (set(TIMES_US), {"hierarchical"}, 0)


def test_no_trial_takes_more_steps_than_foretold():
    state, learned, step = AutoState.first(NAMES), Learned(), 0
    at_most = learned.trial_steps
    while state.trial is not None:
        assert step + state.trial_steps <= at_most
        step += len(state.block)
        state, _ = state.after([100.0 + step % 7] * len(state.block))
        learned.begin()
        learned.keep([0], state)
        assert learned.trial_steps == state.trial_steps
    assert state.trial_steps == 0 < step <= at_most


@pytest.mark.parametrize("names", [("ring", "tree"), ("tree", "hierarchical", "ring")])
def test_other_candidates_are_tried_anew(names):
    learned = Learned()
    learned.keep([0], AutoState(NAMES, "tree"))
    assert learned.state_of([0], NAMES).using == "tree"
    assert learned.state_of([0], names) == AutoState.first(names) == learned.state_of([1], names)


def test_a_training_without_a_choice_has_no_trial():
    class Alone(Communicator):
        def contenders(self, collective, dtype, size_bytes, in_place):
            return ["nccl"]

    def program(comm):
        learned = Learned()
        before = learned.trial_steps
        Tuner(comm, (4112,), "float32", learned)
        return before, learned.trial_steps

    assert on_ranks(2, program, Alone) == [(32, 0), (32, 0)]


def test_slow_first_steps_of_a_training_are_no_reason_for_a_trial():
    state = AutoState.first(NAMES)
    for _ in range(20):
        state, _ = state.after([100.0] * len(state.block))
    assert state.trial is None
    for _ in range(4):
        state, _ = state.resumed().after([500.0] * 5)
        state, _ = state.after([500.0] * 5)
        assert state.trial is None
    for _ in range(10):
        state, _ = state.after([500.0] * 5)
        if state.trial is not None:
            break
    assert state.trial is not None
