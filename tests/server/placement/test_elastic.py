"""An elastic job starts on as many slots as are free. Pure."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.clusters import NOW, gang, node, queued

from ringscope.contracts.job import Placement
from ringscope_server.placement.elastic import grown
from ringscope_server.placement.plan import Plan, plan
from ringscope_server.placement.snapshot import Policy, QueuedJob, RunningGang, Snapshot, WorkPlacement


def elastic(
    number: int, ranks: int, min_ranks: int, *, most_ranks: int | None = None, continues: bool = False
) -> QueuedJob:
    """A job with these numbers of ranks."""
    placement = wanted(ranks, min_ranks)
    return replace(queued(number), placement=placement, most_ranks=most_ranks, continues=continues)


def wanted(ranks: int, min_ranks: int) -> WorkPlacement:
    return WorkPlacement.for_kind(Placement(ranks=ranks, min_ranks=min_ranks), "training")


def planned(*queue: QueuedJob, running: tuple[RunningGang, ...] = (), policy: Policy | None = None) -> Plan:
    """The plan for two nodes of four slots."""
    return plan(Snapshot((node(1), node(2)), running, queue), policy or Policy(), NOW)


def slots(made: Plan) -> dict[int, int]:
    return {start.job_id: sum(len(share.slots) for share in start.shares) for start in made.starts}


@pytest.mark.parametrize(
    ("taken", "ranks"), [((), 8), ((0,), 7), ((0, 1, 2), 5), ((0, 1, 2, 3), 4)], ids=["8", "7", "5", "4"]
)
def test_it_gets_what_is_free(taken: tuple[int, ...], ranks: int) -> None:
    running = (gang(9, {1: taken}),) if taken else ()
    assert slots(planned(elastic(1, 8, 2), running=running)) == {1: ranks}


def test_it_waits_for_the_fewest_ranks_that_it_may_have() -> None:
    full = gang(9, {1: (0, 1, 2, 3), 2: (0, 1, 2)}, ends_in=60)
    made = planned(elastic(1, 8, 2), running=(full,))
    assert [(wait.reason, wait.sentence) for wait in made.waits] == [
        ("slots", "Waits for slots: it needs at least 2, 1 is free now.")
    ]


def test_after_a_killed_rank_it_gets_a_slot_less_than_is_free() -> None:
    assert slots(planned(elastic(1, 4, 2, most_ranks=3))) == {1: 3}


def test_it_leaves_the_slots_that_are_reserved_for_a_job_ahead() -> None:
    running = (gang(9, {1: (0, 1)}, ends_in=60),)
    made = planned(queued(1, 8), elastic(2, 8, 2), running=running)
    assert slots(made) == {}, "it runs longer than 60 s, and all slots are reserved"
    assert slots(planned(queued(1, 7), elastic(2, 8, 1), running=running)) == {2: 1}


def test_it_stays_within_the_limit_of_its_user() -> None:
    made = planned(elastic(1, 8, 2), policy=Policy(max_running_slots_per_user=5))
    assert slots(made) == {1: 5}


def test_a_job_that_continues_takes_the_load_of_its_last_nodes_for_its_own() -> None:
    placement = WorkPlacement.for_kind(Placement(ranks=8, min_ranks=2, quiet=True), "training")
    nodes = (node(1, is_quiet=False), node(2, is_quiet=False))

    def started(own: WorkPlacement) -> dict[int, set[int]]:
        made = plan(Snapshot(nodes, (), (replace(queued(1), placement=own),)), Policy(), NOW)
        return {start.job_id: {share.node_id for share in start.shares} for start in made.starts}

    assert started(placement) == {}
    assert started(placement.after_running_on(frozenset({"n1"}))) == {1: {1}}
    assert started(placement.after_running_on(frozenset({"n1", "n2"}))) == {1: {1, 2}}


def test_a_job_that_continues_goes_before_those_that_wait_for_longer() -> None:
    assert slots(planned(queued(1, 6), elastic(2, 8, 2, continues=True))) == {2: 8}
    assert slots(planned(queued(1, 6, priority=60), elastic(2, 8, 2, continues=True))) == {1: 6, 2: 2}


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 30))
def test_the_most_ranks_that_fit_are_found(least: int, more: int, room: int) -> None:
    tried: list[int] = []

    def placed(ranks: int) -> list[tuple[int, int]] | None:
        tried.append(ranks)
        return [(0, ranks)] if ranks <= least + room else None

    assert grown(placed, [(0, least)], least + more) == [(0, least + min(more, room))]
    assert len(tried) <= 6
