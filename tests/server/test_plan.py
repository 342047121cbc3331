"""The plan, over random clusters, gangs and queues."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tests.conftest import examples
from tests.server.clusters import (
    NOW,
    Free,
    free_slots,
    gang,
    holds_job,
    may_work_together,
    node,
    queued,
    snapshots,
    stays,
    suits,
    taken_alone,
)

from ringscope.contracts.job import JobKind, Placement
from ringscope_server.placement.order import in_order
from ringscope_server.placement.plan import Plan, Wait, plan
from ringscope_server.placement.snapshot import Policy, QueuedJob, RunningGang, Share, Snapshot, WorkPlacement

EASY = Policy()
MANY = examples(200)
POLICIES = st.builds(Policy, allow_preemption=st.booleans(), max_running_slots_per_user=st.sampled_from([0, 0, 4, 8]))


def after(snapshot: Snapshot, made: Plan, *, without: Sequence[int] = ()) -> tuple[RunningGang, ...]:
    """The gangs that run once the plan is carried out."""
    jobs = {job.id: job for job in snapshot.queue}
    started = [
        RunningGang(
            job_id=start.job_id,
            user=jobs[start.job_id].user,
            priority=jobs[start.job_id].priority,
            shares=start.shares,
            started_at=NOW,
            ends_at=NOW + timedelta(seconds=jobs[start.job_id].time_limit_seconds),
            is_exclusive=jobs[start.job_id].placement.exclusive,
        )
        for start in made.starts
        if start.job_id not in without
    ]
    return (*snapshot.running, *started)


def first_start(job: QueuedJob, snapshot: Snapshot, running: Sequence[RunningGang]) -> datetime | None:
    """The first time at which a job fits if nothing else starts, found by trying every end."""
    ends = {one.job_id: NOW if one.is_stopping else max(one.ends_at, NOW) for one in running}
    for time in sorted({NOW, *ends.values()}):
        free = free_slots(snapshot, [one for one in running if ends[one.job_id] > time])
        if holds_job(job, snapshot.nodes, free):
            return time
    return None


def head_of(snapshot: Snapshot, made: Plan) -> tuple[QueuedJob, Wait] | None:
    """The job that has the reservation: the first whose start is known."""
    for wait in made.waits:
        if wait.estimated_start is not None:
            return next(job for job in snapshot.queue if job.id == wait.job_id), wait
    return None


@MANY
@given(snapshots(), POLICIES)
def test_gangs_are_whole_and_no_slot_is_given_twice(snapshot: Snapshot, policy: Policy) -> None:
    made = plan(snapshot, policy, NOW)
    by_id, jobs = {one.id: one for one in snapshot.nodes}, {job.id: job for job in snapshot.queue}
    held = {(share.node_id, slot) for one in snapshot.running for share in one.shares for slot in share.slots}
    alone = taken_alone(snapshot, snapshot.running)
    for start in made.starts:
        wanted = jobs[start.job_id].placement
        slots = [(share.node_id, slot) for share in start.shares for slot in share.slots]
        chosen = [by_id[share.node_id] for share in start.shares]
        assert len(set(slots)) == len(slots) == wanted.ranks
        assert len({one.id for one in chosen}) == len(chosen)
        assert not held & set(slots)
        assert not alone & {one.id for one in chosen}
        assert all(slot in by_id[node_id].slots for node_id, slot in slots)
        if wanted.exclusive:
            assert not {node_id for node_id, _ in held} & {one.id for one in chosen}
            alone |= {one.id for one in chosen}
        held |= set(slots)


@MANY
@given(snapshots())
def test_every_constraint_is_kept(snapshot: Snapshot) -> None:
    by_id, jobs = {one.id: one for one in snapshot.nodes}, {job.id: job for job in snapshot.queue}
    for start in plan(snapshot, EASY, NOW).starts:
        job, chosen = jobs[start.job_id], [by_id[share.node_id] for share in start.shares]
        counts, wanted = [len(share.slots) for share in start.shares], job.placement
        assert job.not_before is None or job.not_before <= NOW
        assert all(suits(one, wanted) for one in chosen)
        assert all(stays(one, job) for one in chosen)
        assert may_work_together(chosen, wanted)
        if wanted.nodes:
            assert len(chosen) == wanted.nodes
            assert max(counts) - min(counts) <= 1
        if wanted.ranks_per_node:
            assert set(counts) == {wanted.ranks_per_node}
        if {one.name for one in chosen} & job.excluded_nodes:
            others = {one.id: len(one.slots) * (one.name not in job.excluded_nodes) for one in snapshot.nodes}
            assert not holds_job(job, snapshot.nodes, others)


@pytest.mark.long
@settings(max_examples=700)  # in a quarter of them a job is at the head and has to wait
@given(snapshots(), POLICIES)
def test_the_head_of_the_queue_is_never_delayed_by_those_behind_it(snapshot: Snapshot, policy: Policy) -> None:
    snapshot = replace(snapshot, queue=tuple(replace(job, excluded_nodes=frozenset()) for job in snapshot.queue))
    made = plan(snapshot, policy, NOW)
    found = head_of(snapshot, made)
    event(f"a head waits: {found is not None}")
    if found is None:  # assume() would now and then meet too many of these in a row
        return
    head, wait = found
    due = [job for job in snapshot.queue if job.not_before is None or job.not_before <= NOW]
    order = [job.id for job in in_order(due, snapshot.running, snapshot.usage)]
    behind = order[order.index(head.id) :]
    # Who makes room for the head ends at once.
    ended = {one.job_id for one in made.preemptions if one.for_job_id == head.id}

    def start(without: list[int]) -> datetime | None:
        running = after(snapshot, made, without=without)
        return first_start(head, snapshot, [one for one in running if one.job_id not in ended])

    assert wait.estimated_start == start(behind) == start([])


@MANY
@given(snapshots())
def test_nothing_waits_that_could_start(snapshot: Snapshot) -> None:
    """The head does not fit; what fits behind it would delay the head."""
    made = plan(snapshot, EASY, NOW)
    running = after(snapshot, made)
    free, found = free_slots(snapshot, running), head_of(snapshot, made)
    for wait in made.waits:
        job = next(job for job in snapshot.queue if job.id == wait.job_id)
        fits = holds_job(job, snapshot.nodes, _avoided(job, snapshot, free))
        assert fits == (wait.reason == "reserved") or wait.reason == "backoff"
        if wait.reason == "reserved":
            assert found is not None
            assert found[1].estimated_start is not None
            assert NOW + timedelta(seconds=job.time_limit_seconds) > found[1].estimated_start


def _avoided(job: QueuedJob, snapshot: Snapshot, free: Free) -> Free:
    """What is free for a job that avoids nodes, if the others could hold it at all."""
    there = {one.id: 0 if one.name in job.excluded_nodes else len(one.slots) for one in snapshot.nodes}
    if not holds_job(job, snapshot.nodes, there):
        return free
    return {node_id: min(slots, there[node_id]) for node_id, slots in free.items()}


@MANY
@given(snapshots(), POLICIES, st.randoms())
def test_everybody_is_told_and_the_same_snapshot_gives_the_same_plan(
    snapshot: Snapshot, policy: Policy, random: object
) -> None:
    made = plan(snapshot, policy, NOW)
    told = [start.job_id for start in made.starts] + [wait.job_id for wait in made.waits]
    assert sorted(told) == sorted(job.id for job in snapshot.queue)
    assert [wait.position for wait in made.waits] == list(range(1, len(made.waits) + 1))
    assert all(wait.sentence.endswith(".") for wait in made.waits)
    queue = list(snapshot.queue)
    random.shuffle(queue)  # type: ignore[attr-defined]
    assert plan(replace(snapshot, queue=tuple(queue)), policy, NOW) == made


@MANY
@given(snapshots())
def test_preemption_ends_only_what_must_end_and_only_lower_priorities(snapshot: Snapshot) -> None:
    urgent = [replace(job, excluded_nodes=frozenset(), not_before=None, priority=95) for job in snapshot.queue[:2]]
    snapshot = replace(snapshot, queue=tuple(urgent))
    assert plan(snapshot, EASY, NOW).preemptions == ()
    made = plan(snapshot, Policy(allow_preemption=True), NOW)
    found = head_of(snapshot, made)
    if found is None:
        return
    head, wait = found
    ended = [one for one in snapshot.running if one.job_id in {p.job_id for p in made.preemptions}]
    if not ended:
        return
    assert {p.for_job_id for p in made.preemptions} == {head.id}
    assert wait.estimated_start == NOW
    assert all(one.priority < head.priority and not one.is_stopping for one in ended)
    staying = [one for one in after(snapshot, made) if one not in ended and not one.is_stopping]
    assert holds_job(head, snapshot.nodes, free_slots(snapshot, staying))
    for one in ended:
        assert not holds_job(head, snapshot.nodes, free_slots(snapshot, [*staying, one]))


@MANY
@given(snapshots(), st.sampled_from([3, 6, 9]))
def test_no_user_gets_more_slots_than_a_user_may_have(snapshot: Snapshot, limit: int) -> None:
    made = plan(snapshot, Policy(max_running_slots_per_user=limit), NOW)
    for user in {start_user(snapshot, start.job_id) for start in made.starts}:
        assert sum(one.slots for one in after(snapshot, made) if one.user == user and not one.is_over) <= limit


def start_user(snapshot: Snapshot, job_id: int) -> str:
    return next(job.user for job in snapshot.queue if job.id == job_id)


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


@pytest.mark.parametrize(
    ("kind", "ranks", "reason", "sentence"),
    [
        ("script", 4, "no_node", "Waits for a node that runs jobs of kind script, unlike n1, which is ready; start an "
         "agent with --scripts DIR."),
        ("training", 4, "no_node", "Waits for a node that runs jobs of kind training, unlike n1, n2, which are ready; "
         "`ringscope nodes` says why."),
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
