"""Algorithms between which no difference is to be expected."""

import pytest

from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.judging import same_messages as module
from ringscope.judging.same_messages import MOST_RANKS, are_the_same, same_messages


def test_ring_and_direct_of_two_ranks_send_the_same_messages() -> None:
    assert same_messages(["mpi", "ring", "naive", "direct"], 2, "all_reduce") == [["ring", "direct"]]
    assert are_the_same(["direct", "ring"], 2, "all_reduce")
    assert not are_the_same(["direct", "ring", "mpi"], 2, "all_reduce")
    assert same_messages(["ring", "direct"], 3, "all_reduce") == []


def test_a_rank_alone_sends_nothing_and_an_algorithm_is_no_group() -> None:
    assert same_messages(["ring", "direct"], 1, "all_reduce") == []
    assert same_messages(["ring", "ring", "mpi"], 2, "all_reduce") == []


def test_algorithms_that_differ_only_for_long_messages_are_not_the_same() -> None:
    """A chain cuts a long message into segments, which a tree of two ranks sends whole."""
    assert same_messages(["ring", "tree", "naive"], 2, "broadcast") == [["tree", "naive"]]
    assert same_messages(["ring", "ring_pipelined"], 2, "all_reduce") == []


@pytest.mark.parametrize("collective", SCHEDULED)
def test_with_more_ranks_there_is_none(collective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RANKS", 8)
    for ranks in range(MOST_RANKS + 1, 9):
        assert same_messages(SCHEDULED[collective], ranks, collective) == []
