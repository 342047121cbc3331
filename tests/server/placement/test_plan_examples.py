"""The plan of small clusters, and the reason that each job that waits is given."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.server.clusters import (
    NOW,
    gang,
    node,
    queued,
)

from ringscope.contracts.job import JobKind, Placement
from ringscope_server.placement.addresses import shared
from ringscope_server.placement.plan import Plan, plan
from ringscope_server.placement.snapshot import Policy, Share, Snapshot, WorkPlacement

EASY = Policy()


def planned(nodes: Sequence[object], running: Sequence[object], queue: Sequence[object], **policy: object) -> Plan:
    made = Snapshot(tuple(nodes), tuple(running), tuple(queue))  # type: ignore[arg-type]
    return plan(made, Policy(**policy), NOW)  # type: ignore[arg-type]


def test_a_job_that_must_wait_is_told_in_numbers() -> None:
    running = [gang(1, {1: (0, 1, 2)}, ends_in=90)]
    made = planned([node(1), node(2, 2)], running, [queued(7, 5), queued(8, 4, limit=91), queued(9, 3, limit=91)])
    head, behind, kept = made.waits
    assert (head.reason, head.sentence) == ("slots", "Waits for slots: it needs 5, 3 are free now.")
    assert (head.position, head.estimated_start) == (1, NOW + timedelta(seconds=90))
    assert behind.sentence == "Waits behind job 7, which is ahead of it in the queue."
    assert kept.reason == "reserved"
    assert kept.sentence == "Waits behind job 7: in 91 s, its time limit, it could delay that job's start."
    assert behind.estimated_start == NOW + timedelta(seconds=90 + 600)
    (named,) = planned([node(1), node(2, 2)], running, [queued(7, 2, node_names=["n1"])]).waits
    assert named.sentence == "Waits for slots: it needs 2, 1 is free now on the nodes that it may use."


def test_the_start_of_a_job_that_avoids_a_node_is_estimated_on_the_others() -> None:
    running = [gang(1, {1: (0, 1, 2, 3)}, ends_in=90), gang(2, {2: (0, 1, 2, 3)}, ends_in=30)]
    jobs = [queued(7, 8, limit=60), queued(8, 4), queued(9, 4, excluded_nodes=frozenset({"n2"}))]
    head, _, avoiding = planned([node(1), node(2)], running, jobs).waits
    assert head.estimated_start == NOW + timedelta(seconds=90)
    assert avoiding.sentence == "Waits behind job 7, which is ahead of it in the queue."
    assert avoiding.estimated_start == NOW + timedelta(seconds=90 + 60 + 600), "job 8 has the other node until then"


def test_behind_a_head_that_waits_a_job_starts_on_nodes_that_it_does_not_avoid() -> None:
    running = [gang(1, {1: (0, 1, 2, 3)}, ends_in=90), gang(2, {2: (0, 1)}, ends_in=90)]
    avoiding = [queued(7 + n, 2, limit=60, excluded_nodes=frozenset({f"n{n}"})) for n in (2, 1)]
    made = planned([node(1), node(2)], running, [queued(7, 8), *avoiding])
    assert [start.job_id for start in made.starts] == [8]
    assert [(wait.job_id, wait.reason) for wait in made.waits] == [(7, "slots"), (9, "behind")]


def test_a_job_waits_for_quiet_nodes_and_holds_nobody_up() -> None:
    nodes = [node(1, is_quiet=False), node(2)]
    made = planned(nodes, [], [queued(7, 8, quiet=True), queued(8, 4, quiet=True), queued(9, 4)])
    assert [(start.job_id, start.shares[0].node_id) for start in made.starts] == [(8, 2), (9, 1)]
    [wait] = made.waits
    assert (wait.reason, wait.estimated_start) == ("not_quiet", None)
    assert wait.sentence == "Waits for quiet nodes: other load keeps cores busy on n1."
    [too_large] = planned(nodes, [], [queued(7, 9, quiet=True)]).waits
    assert too_large.reason == "slots", "no quiet node would help"


def test_a_short_job_overtakes_and_a_long_one_takes_what_is_left_over() -> None:
    running = [gang(1, {1: (0, 1, 2)}, ends_in=90)]
    made = planned([node(1), node(2, 3)], running, [queued(7, 5), queued(8, 1, limit=90), queued(9, 2, limit=1000)])
    assert [start.job_id for start in made.starts] == [8, 9]
    assert [wait.job_id for wait in made.waits] == [7]


def test_long_jobs_share_what_is_left_over() -> None:
    running = [gang(1, {1: (0, 1, 2)}, ends_in=90)]
    queue = [queued(7, 6), queued(8, 2, limit=1000), queued(9, 2, limit=1000)]
    made = planned([node(1), node(2)], running, queue)
    assert [start.job_id for start in made.starts] == [8]
    assert made.waits[1].reason == "reserved"


def test_why_a_job_waits_is_told_of_what_is_free_once_all_others_have_started() -> None:
    running = [gang(1, {1: (0, 1)}, ends_in=90)]
    queue = [queued(7, 4), queued(8, 2, limit=1000), queued(9, 2, limit=60)]  # 8 would fit, and 9 takes its place
    made = planned([node(1, 4)], running, queue)
    assert [start.job_id for start in made.starts] == [9]
    assert [wait.reason for wait in made.waits] == ["slots", "behind"]


def test_a_job_that_can_never_fit_holds_nobody_up() -> None:
    made = planned([node(1), node(2)], [], [queued(7, 9), queued(8, 8)])
    assert [start.job_id for start in made.starts] == [8]
    assert made.waits[0].sentence == "Waits for more nodes: it needs 9 slots, those that are ready have 8."


def test_a_shape_that_does_not_fit_says_so() -> None:
    made = planned([node(1, 3), node(2, 2)], [gang(1, {2: (0,)})], [queued(7, 4, ranks_per_node=2)])
    assert made.waits[0].reason == "shape"


def test_versions_that_differ_are_named() -> None:
    nodes = [node(1, versions={"mpi4py": "4.0.0"}), node(2, versions={"mpi4py": "4.1.0"})]
    (wait,) = planned(nodes, [], [queued(7, 6)]).waits
    assert wait.reason == "version_skew"
    assert wait.sentence == "Waits for nodes with equal versions: mpi4py is 4.0.0 on n1 and 4.1.0 on n2."


def test_nodes_on_loopback_work_together_but_with_no_other() -> None:
    nodes = [node(1, only_on="here"), node(2, only_on="here"), node(3), node(4, only_on="there")]
    made = planned(nodes, [], [queued(7, 8), queued(8, 8)])
    assert [[share.node_id for share in start.shares] for start in made.starts] == [[1, 2]]
    assert made.waits[0].reason == "shape"


def test_nodes_of_one_address_take_jobs_each_but_no_gang_together() -> None:
    nodes = [node(1, address="127.0.0.1"), node(2, address="127.0.0.1")]
    made = planned(nodes, [], [queued(7, 6), queued(8, 4), queued(9, 4)])
    assert sorted(share.node_id for start in made.starts for share in start.shares) == [1, 2]
    (wait,) = made.waits
    assert (wait.job_id, wait.reason) == (7, "same_address")
    assert wait.sentence == (
        "Waits for nodes with different addresses: n1 and n2 have the same address 127.0.0.1. "
        "Start each agent with its own --address."
    )


def test_loopback_addresses_of_different_machines_are_different() -> None:
    here = [node(1, address="127.0.0.1", only_on="h1"), node(2, address="127.0.0.1", only_on="h2")]
    assert shared(here) is None
    assert shared([*here, node(3, address="127.0.0.1", only_on="h2")]) == "n2 and n3 have the same address 127.0.0.1"


def test_a_gang_takes_one_node_of_each_address() -> None:
    nodes = [node(1, address="a"), node(2, 6, address="a"), node(3, address="b")]
    made = planned(nodes, [], [queued(7, 10)])
    assert [[share.node_id for share in start.shares] for start in made.starts] == [[2, 3]]


def test_a_retry_waits_until_its_time_without_holding_others_up() -> None:
    later = NOW + timedelta(seconds=20)
    made = planned([node(1)], [], [queued(7, 4, not_before=later), queued(8, 4)])
    assert [start.job_id for start in made.starts] == [8]
    assert made.waits[0].sentence == "Waits to be tried again, not before 00:00:20 UTC."


def test_a_user_at_the_cap_waits_without_holding_others_up() -> None:
    running = [gang(1, {1: (0, 1)}, user="ann")]
    made = planned([node(1)], running, [queued(7, 2), queued(8, 2, user="eve")], max_running_slots_per_user=3)
    assert [start.job_id for start in made.starts] == [8]
    assert (
        made.waits[0].sentence == "Waits for other jobs of ann: they have 2 slots, it needs 2, and a user may have 3."
    )


def test_a_gang_that_is_over_takes_nothing_from_its_user() -> None:
    over = gang(1, {1: (0, 1)}, user="ann", ends_in=10**6, is_stopping=True, is_over=True)
    queue = [queued(7, 2), queued(8, 2, user="eve")]
    (start,) = planned([node(1)], [over], queue, max_running_slots_per_user=2).starts
    assert start.job_id == 7


def test_what_an_exclusive_gang_left_behind_takes_only_its_own_slots() -> None:
    dead = gang(1, {1: (0, 1)}, is_exclusive=True, is_stopping=True, is_over=True)
    stuck = node(1, 8, quarantined=frozenset({0, 1}))
    (start,) = planned([replace(stuck, slots=tuple(range(2, 8)))], [dead], [queued(7, 6)]).starts
    assert start.shares == (Share(1, tuple(range(2, 8))),)


def test_an_exclusive_gang_that_is_over_has_its_node_until_it_is_proven_free() -> None:
    over = gang(1, {1: (0, 1)}, is_exclusive=True, is_stopping=True, is_over=True)
    half_stuck = replace(node(1, 8, quarantined=frozenset({0})), slots=tuple(range(1, 8)))
    made = planned([half_stuck], [over], [queued(7, 1)])
    assert (made.starts, made.waits[0].estimated_start) == ((), NOW)


def test_users_take_turns_however_many_jobs_one_has_sent() -> None:
    queue = [queued(number) for number in range(1, 6)] + [queued(9, user="eve")]
    assert [start.job_id for start in planned([node(1, 2)], [], queue).starts] == [1, 9]


def test_who_has_used_less_goes_first_and_priority_goes_before_all() -> None:
    queue = (queued(1), queued(2, user="eve"), queued(3, priority=60))
    made = plan(Snapshot((node(1, 3),), (), queue, {"ann": 100.0}), EASY, NOW)
    assert [start.job_id for start in made.starts] == [3, 2, 1]


def test_a_retry_goes_elsewhere_if_it_can() -> None:
    queue = [queued(1, excluded_nodes=frozenset({"n1"})), queued(2, 6, excluded_nodes=frozenset({"n1"}))]
    first, second = planned([node(1), node(2)], [], queue).starts
    assert [share.node_id for share in first.shares] == [2]
    assert {share.node_id for share in second.shares} == {1, 2}


def test_a_preempted_gang_is_the_youngest_of_the_lowest_priority() -> None:
    old = NOW - timedelta(seconds=500)
    running = [
        gang(1, {1: (0, 1)}, priority=10, started_at=old),
        gang(2, {1: (2, 3)}, priority=10),
        gang(3, {2: (0, 1, 2, 3)}, priority=20),
    ]
    made = planned([node(1), node(2)], running, [queued(7, 2)], allow_preemption=True)
    assert [preemption.job_id for preemption in made.preemptions] == [2]
    assert made.waits[0].sentence == "Waits for slots: 1 job of lower priority must end for it."


def test_a_job_that_does_not_fit_into_the_life_of_nodes_is_told_when_they_leave() -> None:
    leaving = [node(1, free_by=NOW + timedelta(seconds=100)), node(2, free_by=NOW + timedelta(seconds=240))]
    made = planned([*leaving, node(3)], [], [queued(7, 8, limit=600), queued(8, 8, limit=200), queued(9, 4, limit=600)])
    assert [start.job_id for start in made.starts] == [8]
    told, behind = made.waits
    assert (told.reason, told.estimated_start) == ("leaving", None)
    assert told.sentence == (
        "Waits for slots: 2 nodes must be free again by 00:04:00 UTC, before its time limit of 600 s would be over; "
        "give it a shorter --time-limit, or wait for other nodes."
    )
    assert behind.reason == "slots"


def test_a_job_that_ends_just_in_time_may_use_a_node_that_leaves() -> None:
    nodes = [node(1, free_by=NOW + timedelta(seconds=600))]
    made = planned(nodes, [], [queued(7, 1, limit=600), queued(8, 1, limit=601)])
    assert [start.job_id for start in made.starts] == [7]
    assert made.waits[0].sentence.startswith("Waits for slots: 1 node must be free again by 00:10:00 UTC")


def test_more_time_would_not_help_a_job_that_is_too_large_anyhow() -> None:
    made = planned([node(1, free_by=NOW)], [], [queued(7, 5)])
    assert made.waits[0].reason == "no_node"


def test_a_job_goes_to_nodes_that_run_its_kind() -> None:
    script = WorkPlacement.for_kind(Placement(ranks=4), "script")
    nodes = [node(1, unfit_for=frozenset({"script"})), node(2)]
    plain = queued(8, 4)
    made = planned(nodes, [], [replace(queued(7, 4), placement=script), plain])
    assert [(start.job_id, [share.node_id for share in start.shares]) for start in made.starts] == [(7, [2]), (8, [1])]


def test_a_job_that_names_a_node_that_is_away_says_which() -> None:
    placement = WorkPlacement.for_kind(Placement(ranks=2, node_names=["n1", "n2"]), "benchmark")
    (wait,) = planned([node(1)], [], [replace(queued(7, 2), placement=placement)]).waits
    assert (wait.reason, wait.sentence) == (
        "no_node",
        "Waits for node n2, which the job names: it is drained or not ready.",
    )


@pytest.mark.parametrize(
    ("kind", "ranks", "reason", "sentence"),
    [
        ("script", 4, "no_node", "Waits for a node that runs jobs of kind script, unlike n1, which is ready; start an "
         "agent with --scripts DIR."),
        ("training", 4, "no_node", "Waits for a node that runs jobs of kind training, unlike n1, n2, which are ready; "
         "pip install 'ringscope[train]' on a node and start its agent again, or see `ringscope nodes`."),
        ("benchmark", 8, "slots", "Waits for more nodes: it needs 8 slots, those that are ready and run jobs of kind "
         "benchmark have 4."),
    ],
)  # fmt: skip
def test_a_job_that_no_ready_node_can_run_says_what_is_missing(
    kind: JobKind, ranks: int, reason: str, sentence: str
) -> None:
    placement = WorkPlacement.for_kind(Placement(ranks=ranks), kind)
    unfit = frozenset({"script", "training"})
    nodes = [node(1, unfit_for=unfit)]
    if kind != "script":
        nodes.append(node(2, unfit_for=unfit if kind == "training" else frozenset({"benchmark"})))
    (wait,) = planned(nodes, [], [replace(queued(7, 4), placement=placement)]).waits
    assert (wait.reason, wait.sentence) == (reason, sentence)
