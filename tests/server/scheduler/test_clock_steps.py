"""Nothing is older or younger than before if a user or NTP sets the clock of the server's machine."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server
from tests.server.scheduler.test_lease import hand_to
from tests.server.two_nodes import two_nodes

from ringscope_server.db.models import (
    Attempt,
    Base,
    Insight,
    Job,
    Member,
    Node,
    Pulse,
    UtcDateTime,
    Webhook,
    WebhookDelivery,
)
from ringscope_server.scheduler import loop
from ringscope_server.scheduler.clock_steps import move_along

STEPS = pytest.mark.parametrize("step_seconds", [3600, -3600])


async def passes(server: Server, clock: Clock, seconds: float, *alive: FakeAgent) -> None:
    """Run the scheduler's loop for ``seconds`` while agents poll."""
    for _ in range(round(seconds / 5)):
        clock.advance(5)
        for agent in alive:
            await agent.assignments()
        await server.one_pass()


async def observed(server: Server, name: str) -> str:
    node = (await server.admin.get(f"/api/v1/nodes/{name}")).json()
    found: str = node["observed"]
    return found


@STEPS
async def test_no_node_is_lost_for_it_and_none_that_died_looks_alive(
    server: Server, clock: Clock, step_seconds: float
) -> None:
    alive, _dead = await server.node("n1"), await server.node("n2")
    await passes(server, clock, 5, alive)
    clock.set(step_seconds)
    await server.one_pass()
    assert [await observed(server, name) for name in ("n1", "n2")] == ["ready", "ready"]
    await passes(server, clock, 20, alive)
    assert [await observed(server, name) for name in ("n1", "n2")] == ["ready", "lost"]


@STEPS
async def test_a_job_runs_as_long_as_its_limit_says(server: Server, clock: Clock, step_seconds: float) -> None:
    node = await server.node()
    job = await server.submit(time_limit_seconds=60)
    await node.start_next()
    clock.set(step_seconds)
    await passes(server, clock, 60, node)
    assert (await server.job(job["id"]))["state"] == "running"
    await passes(server, clock, 5, node)
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("stopping", "time_limit")


@STEPS
async def test_a_part_of_a_start_lasts_as_long_as_its_limit_says(
    server: Server, clock: Clock, step_seconds: float
) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await first.report(attempt, "ready")
    clock.set(step_seconds)
    await passes(server, clock, 55, first, second)
    assert (await server.job(job_id))["state"] == "starting"
    await passes(server, clock, 15, first, second)
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("stopping", "start_timeout")


# Times that people or batch systems gave, that were over before, or that are told and compared with nothing.
NOT_MOVED = {
    "jobs": {"fire_time", "finished_at", "estimated_start"},
    "attempts": {"finished_at", "charged_at"},
    "nodes": {"desired_at", "leaves_at", "registered_at", "removed_at"},
    "insights": {"until"},
    "webhook_deliveries": {"delivered_at"},
}


@pytest.mark.matrix
@STEPS
@pytest.mark.parametrize("model", [Job, Attempt, Member, Node, Pulse, Insight, WebhookDelivery])
async def test_every_time_of_what_is_open_moves(
    server: Server, clock: Clock, model: type[Base], step_seconds: float
) -> None:
    agent = await server.node()
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    told, step, before = clock(), timedelta(seconds=step_seconds), {}
    kept = NOT_MOVED.get(model.__tablename__, set())
    names = [column.key for column in model.__table__.columns if isinstance(column.type, UtcDateTime)]
    async with server.services.database.write() as session:
        session.add(Pulse(attempt_id=attempt, node_id=1, heard_at=told, time_us=0, ranks=[]))
        session.add(Insight(job_id=1, attempt_id=attempt, kind="hang", message="", evidence={}, since=told))
        hook = Webhook(id=1, name="w", url="", secret="", events=[], user="admin", is_enabled=True, created_at=told)
        session.add(hook)
        await session.flush()
        message = {"message_id": "m", "event_type": "job.finished", "body": "", "state": "pending", "created_at": told}
        session.add(WebhookDelivery(webhook_id=1, **message))
        await session.flush()
        (row,) = await session.scalars(select(model))
        for name in names:
            if name not in kept:
                before[name] = told - timedelta(minutes=1)
                setattr(row, name, before[name])
    assert before
    async with server.services.database.write() as session:
        await move_along(session, step, told + step)
        (row,) = await session.scalars(select(model))
        assert {name: getattr(row, name) - time for name, time in before.items()} == dict.fromkeys(before, step)


@STEPS
async def test_a_job_waits_as_long_as_its_timeout_says(server: Server, clock: Clock, step_seconds: float) -> None:
    node = await server.node(slots=2)
    await server.submit()
    await node.start_next()
    job = await server.submit(queue_timeout_seconds=60)
    await server.one_pass()
    clock.set(step_seconds)
    await passes(server, clock, 60, node)
    assert (await server.job(job["id"]))["state"] == "queued"
    await passes(server, clock, 5, node)
    assert (await server.job(job["id"]))["reason"] == "queue_timeout"


@STEPS
async def test_what_happens_between_step_and_pass_moves_along_once(
    server: Server, clock: Clock, step_seconds: float
) -> None:
    alive, silent = await server.node("n1", slots=2), await server.node("n2", slots=1)
    runs = await server.submit(time_limit_seconds=60, placement={"ranks": 2})
    await server.one_pass()
    attempt = (await alive.assignments())[-1]["attempt_id"]
    await alive.report(attempt, "ready")
    clock.set(step_seconds)
    await alive.report(attempt, "running")
    waits = await server.submit(queue_timeout_seconds=600, placement={"ranks": 2})
    await silent.assignments()
    await passes(server, clock, 25, alive)
    started = (await server.job(runs["id"]))["started_at"]
    queued = await server.job(waits["id"])
    assert datetime.fromisoformat(started) == clock() - timedelta(seconds=25)
    assert datetime.fromisoformat(queued["queued_at"]) == clock() - timedelta(seconds=25)
    assert [(await server.job(runs["id"]))["state"], queued["state"]] == ["running", "queued"]
    assert [await observed(server, name) for name in ("n1", "n2")] == ["ready", "lost"]


@STEPS
async def test_a_heartbeat_that_comes_while_times_move_moves_along(
    server: Server, clock: Clock, step_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, flush = await server.node(), server.services.heartbeats.flush
    others: list[asyncio.Task[None]] = []

    async def move_and_hear(session: AsyncSession, step: timedelta, now: datetime) -> None:
        await move_along(session, step, now)
        await node.assignments()
        others.append(asyncio.create_task(flush(server.services.database)))
        await asyncio.sleep(0)  # it has begun

    monkeypatch.setattr(loop, "move_along", move_and_hear)
    clock.set(step_seconds)
    await server.one_pass()
    await asyncio.gather(*others)
    async with server.services.database.read() as session:
        assert (await session.get_one(Node, 1)).last_heartbeat_at == clock()


@STEPS
async def test_a_job_ends_after_it_was_created(server: Server, clock: Clock, step_seconds: float) -> None:
    node = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await node.start_next()
    clock.set(step_seconds)
    await passes(server, clock, 5, node)
    await node.report(attempt, "ended", reason="rank_exit", message="x")
    await node.report(attempt, "clean")
    ended = await server.job(job["id"])
    (member,) = ended["attempts"][0]["members"]
    times = [ended["created_at"], *(member[f"{phase}_at"] for phase in ("ready", "running", "ended", "clean"))]
    assert sorted(times) == times


async def test_a_clock_that_was_set_back_while_no_server_ran_makes_no_dead_node_look_alive(
    server: Server, clock: Clock
) -> None:
    alive, _dead = await server.node("n1"), await server.node("n2")
    await passes(server, clock, 5, alive)
    clock.set(-3600)
    server.services.clock = clock.steady()
    server.services.heartbeats.listening.begin(clock())
    await hand_to(server.services, "the process before", seconds=-1)
    await passes(server, clock, 25, alive)
    assert [await observed(server, name) for name in ("n1", "n2")] == ["ready", "lost"]


async def test_a_server_that_only_stands_by_moves_nothing_when_it_takes_over(server: Server, clock: Clock) -> None:
    node = await server.node()
    job = await server.submit(time_limit_seconds=60)
    await node.start_next()
    await hand_to(server.services, "another", seconds=60)
    clock.set(-3600)
    server.services.clock = clock.steady()  # it begins with a clock that is wrong, and is then set right
    clock.set(3600)
    await loop.try_pass(server.services)
    await hand_to(server.services, "another", seconds=-1)
    await passes(server, clock, 60, node)
    assert (await server.job(job["id"]))["state"] == "running"
    await passes(server, clock, 5, node)
    assert (await server.job(job["id"]))["reason"] == "time_limit"


def test_a_clock_that_is_slewed_was_not_set() -> None:
    clock = Clock()
    steady = clock.steady()
    for _ in range(100):
        clock.advance(1)
        clock.set(0.5)
        assert (steady.now(), steady.step()) == (clock(), timedelta())


def test_a_step_is_told_until_it_is_accepted() -> None:
    clock = Clock()
    steady, step = clock.steady(), timedelta(seconds=-30)
    clock.set(-30)
    clock.advance(5)
    assert [steady.step(), steady.step(), steady.now() - clock()] == [step, step, -step]
    assert steady.accept() == step
    assert [steady.step(), steady.now() - clock()] == [timedelta(), timedelta()]


def test_a_long_pass_between_look_and_acceptance_is_no_step() -> None:
    clock = Clock()
    steady = clock.steady()
    for _ in range(2):
        assert steady.step() == timedelta()
        clock.advance(60)
        assert steady.accept() == timedelta()
