"""The rotation gives each rank its core in each turn if a node has fewer cores than ranks."""

import os
from collections import Counter
from collections.abc import Iterable

import pytest

from ringscope.engine.core_rotation import CoreRotation, core_of


def sharing(ranks: int, cores: int, turn: int) -> frozenset[frozenset[int]]:
    """Return the sets of ranks that share a core in this turn."""
    seats = [core_of(place, turn, ranks, cores) for place in range(ranks)]
    return frozenset(frozenset(place for place in range(ranks) if seats[place] == core) for core in range(cores))


@pytest.mark.parametrize("ranks", [3, 4, 5, 8, 9])
@pytest.mark.parametrize("cores", [1, 2])
def test_every_core_has_as_many_as_the_others(ranks: int, cores: int) -> None:
    for turn in range(40):
        sizes = [len(group) for group in sharing(ranks, cores, turn)]
        assert sum(sizes) == ranks
        assert max(sizes) - min(sizes) <= 1


def test_each_of_three_has_a_core_of_its_own_equally_often() -> None:
    alone = Counter(next(iter(group)) for turn in range(6) for group in sharing(3, 2, turn) if len(group) == 1)
    assert alone == {0: 2, 1: 2, 2: 2}


def test_each_of_four_sits_with_each_other_one() -> None:
    assert len({sharing(4, 2, turn) for turn in range(4)}) == 3


class System:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, *cores: int, forbids: bool = False) -> None:
        self.allowed, self.forbids = set(cores), forbids
        self.moves: list[set[int]] = []
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: self.allowed, raising=False)
        monkeypatch.setattr(os, "sched_setaffinity", self.move, raising=False)

    def move(self, pid: int, cores: Iterable[int]) -> None:
        if self.forbids:
            raise PermissionError
        self.moves.append(set(cores))


def test_a_rank_goes_to_its_core_and_may_then_leave_it(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System(monkeypatch, 4, 6)
    CoreRotation(["a", "b", "a", "a"], rank=3).take(0)
    assert system.moves == [{6}, {4, 6}], "the third of three on machine a"


def test_who_has_cores_enough_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System(monkeypatch, 0, 1)
    CoreRotation(["a", "b", "a", "b"], rank=0).take(1)
    assert not system.moves


def test_where_moving_is_forbidden_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    System(monkeypatch, 0, forbids=True)
    CoreRotation(["a", "a"], rank=1).take(0)
