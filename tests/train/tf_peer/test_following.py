"""Ranks that wait for rank 0."""

import time
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from torch.distributed import HashStore

from ringscope.contracts.record import Record, Steps
from ringscope.engine import positions
from ringscope.train.tf_peer.following import FollowingRank, Lead


def steps(first: int, count: int) -> Steps:
    column = [1.0] * count
    return Steps(
        rank=0,
        first_step=first,
        op="all_reduce",
        algorithm="tf_ring",
        transport="grpc",
        in_place=True,
        bytes=4,
        bus_factor=0.0,
        start_ns=[1] * count,
        duration_us=column,
        communication_us=column,
        compute_us=column,
        exposed_us=column,
    )


def test_a_rank_that_waits_is_as_far_as_rank_0_and_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    store = HashStore()
    store.set_timeout(timedelta(seconds=5))
    position = positions.slot(None, 1)
    comm: Any = SimpleNamespace(position=position)
    told: list[Record] = []
    lead, seen = Lead(store, told.append), []

    def next_look(_: float) -> None:
        seen.append(position[positions.ITERATIONS])
        if len(seen) == 3:
            lead.end()
        else:
            lead.emit(steps(20 * len(seen), 20))

    monkeypatch.setattr(time, "sleep", next_look)
    FollowingRank(comm, comm, store).run()
    assert seen == [0, 40, 60]
    assert told == [steps(20, 20), steps(40, 20)]
