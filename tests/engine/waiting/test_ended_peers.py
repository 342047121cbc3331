"""Peers whose processes have ended, while a GPU is awaited."""

import pytest

from ringscope.engine.errors import LostRankError
from ringscope.engine.waiting import ended_peers
from ringscope.engine.waiting.ended_peers import EndedPeers


def test_the_second_look_in_a_row_names_the_peer(monkeypatch):
    monkeypatch.setattr(ended_peers, "LOOK_SECONDS", 0.0)
    answers = [[], [2], [], [2], [2]]
    peers = EndedPeers(1, lambda: answers.pop(0), lambda: "step 4")
    for _ in range(4):
        peers.look()
    with pytest.raises(LostRankError, match=r"^Rank 1 lost rank 2 in step 4: its process has ended"):
        peers.look()


def test_between_two_looks_nothing_is_asked(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(ended_peers.time, "monotonic", lambda: now[0])
    asked = []
    peers = EndedPeers(0, lambda: asked.append(now[0]) or [], lambda: "a call")
    for at in (100.0, 100.019, 100.021, 100.03, 100.042):
        now[0] = at
        peers.look()
    assert asked == [100.021, 100.042]
