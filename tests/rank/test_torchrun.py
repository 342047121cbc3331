"""The variables by which scripts for torchrun find their peers."""

import threading
from typing import Any

import pytest
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.rank import torchrun
from ringscope.rank.torchrun import torchrun_variables


class OnTwoNodes(VirtualCommunicator):
    """Three ranks on the first node, one on the second."""

    def __init__(self, rank: int, slots: list[Any], barrier: threading.Barrier) -> None:
        super().__init__(rank, slots, barrier)
        self.nodes = ((0, 1, 2), (3,))
        self.local_rank = 0 if rank == 3 else rank


def test_every_rank_knows_its_place_and_one_port_of_the_first_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringscope.engine.meeting.own_address", lambda: "10.0.0.1")
    monkeypatch.setattr(torchrun, "own_address", lambda: "10.0.0.1")
    found = on_ranks(4, torchrun_variables, OnTwoNodes)
    own = ("RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK")
    assert [[int(one[name]) for name in own] for one in found] == [
        [0, 0, 3, 0, 0],
        [1, 1, 3, 0, 0],
        [2, 2, 3, 0, 0],
        [3, 0, 1, 1, 1],
    ]
    common = ("WORLD_SIZE", "GROUP_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID")
    (same,) = {tuple(one[name] for name in common) for one in found}
    assert same[:3] == ("4", "2", "10.0.0.1")
    assert 0 < int(same[3]) < 65_536
