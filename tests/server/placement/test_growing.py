"""A running elastic job grows when slots return. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from tests.server.clusters import NOW, gang, node

from ringscope.contracts.job import Placement
from ringscope_server.placement.growing import Growth, growing
from ringscope_server.placement.snapshot import Policy, Snapshot, WorkPlacement


def wanted(ranks: int, min_ranks: int) -> WorkPlacement:
    return WorkPlacement.for_kind(Placement(ranks=ranks, min_ranks=min_ranks), "training")


def grows(asks: Mapping[int, WorkPlacement], snapshot: Snapshot, policy: Policy | None = None) -> list[Growth]:
    return growing(asks, snapshot, policy or Policy(), NOW)


def test_a_running_job_grows_into_slots_that_are_free_again() -> None:
    small = gang(1, {1: (0, 1, 2)})
    asks = {1: wanted(8, 2)}
    assert grows(asks, Snapshot((node(1), node(2)), (small,), ())) == [Growth(1, 3, 8)]
    others = gang(9, {2: (0, 1, 2, 3)})
    assert grows(asks, Snapshot((node(1), node(2)), (small, others), ())) == [Growth(1, 3, 4)]
    assert grows(asks, Snapshot((node(1, 3),), (small,), ())) == []
    assert grows({}, Snapshot((node(1), node(2)), (small,), ())) == []
    assert grows(asks, Snapshot((node(1), node(2)), (replace(small, is_stopping=True),), ())) == []


def test_two_jobs_do_not_grow_into_the_same_slots() -> None:
    running = (gang(1, {1: (0, 1, 2)}), gang(2, {2: (0, 1, 2)}))
    asks = {1: wanted(5, 2), 2: wanted(5, 2)}
    assert grows(asks, Snapshot((node(1), node(2)), running, ())) == [Growth(1, 3, 5)]


def test_it_does_not_end_to_get_what_the_limit_of_its_user_forbids() -> None:
    snapshot = Snapshot((node(1), node(2)), (gang(1, {1: (0, 1, 2)}),), ())
    assert grows({1: wanted(8, 2)}, snapshot, Policy(max_running_slots_per_user=3)) == []
    assert grows({1: wanted(8, 2)}, snapshot, Policy(max_running_slots_per_user=5)) == [Growth(1, 3, 5)]


def test_slots_that_are_not_proven_free_do_not_count() -> None:
    broken = replace(node(1, 4), slots=(0, 1, 2), quarantined=frozenset({3}))
    over = replace(gang(1, {1: (3,)}), is_stopping=True, is_over=True)
    running = (over, gang(1, {1: (0, 1)}))
    assert grows({1: wanted(4, 2)}, Snapshot((broken,), running, ())) == [Growth(1, 2, 3)]
    assert grows({1: wanted(4, 2)}, Snapshot((broken,), (over, gang(1, {1: (0, 1, 2)})), ())) == []
