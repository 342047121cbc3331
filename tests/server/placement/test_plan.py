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
    holds_job,
    may_work_together,
    snapshots,
    stays,
    suits,
    taken_alone,
)

from ringscope_server.placement.order import in_order
from ringscope_server.placement.plan import Plan, Wait, plan
from ringscope_server.placement.snapshot import Policy, QueuedJob, RunningGang, Snapshot

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
    """Return the slots that are free for a job that avoids nodes, if the other nodes could hold it at all."""
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
