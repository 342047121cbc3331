"""Each candidate of a search goes on with the algorithms that its earlier runs found."""

import pytest

from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.search.candidates import Candidate, Situation, candidates
from ringscope.train.adaptive.state import AutoState
from ringscope.train.search.algorithms import Algorithms

SPEC = StrategySearchSpec(strategies=["mirrored", "torch_ddp"])
FOUND = {each.name: each for each in candidates(SPEC, Situation(4)).chosen}
NAMES = ("ring", "direct")


def learn(algorithms: Algorithms, candidate: Candidate) -> int:
    """Run a candidate that finds "direct"; return the steps that try algorithms."""
    steps = algorithms.begin(candidate)
    if algorithms.current is not None:
        algorithms.current.begin()
        algorithms.current.keep([0], AutoState(NAMES, "direct"))
    algorithms.end()
    return steps


def test_the_runs_of_a_candidate_try_algorithms_once() -> None:
    algorithms = Algorithms()
    tried = [learn(algorithms, FOUND[name]) for name in ("mirrored-auto", "mirrored-no_overlap") * 2]
    assert tried == [32, 32, 0, 0]


def test_nothing_is_kept_for_what_trains_between_two_runs() -> None:
    algorithms = Algorithms()
    learn(algorithms, FOUND["mirrored-auto"])
    assert algorithms.current is None


@pytest.mark.parametrize("name", ["mirrored-ring", "mirrored-fp16", "mirrored-powersgd", "torch_ddp"])
def test_others_try_nothing(name: str) -> None:
    algorithms = Algorithms()
    assert algorithms.begin(FOUND[name]) == 0 and algorithms.current is None
