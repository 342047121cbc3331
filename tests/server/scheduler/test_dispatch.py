"""The plan carried out on the tables."""

import gc
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server

from ringscope_server.changes import Changes
from ringscope_server.db.lease import Lease
from ringscope_server.db.models import IS_HELD, Allocation, Attempt, Job, Node, QuarantinedSlot, Usage
from ringscope_server.placement import usage
from ringscope_server.placement.queue import Queue
from ringscope_server.placement.snapshot import Policy
from ringscope_server.scheduler import dispatch
from ringscope_server.scheduler.dispatch import carry_out, decide
from ringscope_server.scheduler.loop import rest_seconds


def job(ranks: int = 2, **more: Any) -> dict[str, Any]:
    placement = {"ranks": ranks} | more.pop("placement", {})
    return {**ONE_SIZE, "placement": placement, **more}


async def pending(server: Server, job_id: int) -> dict[str, Any]:
    found: dict[str, Any] = (await server.job(job_id))["pending"]
    return found


async def state(server: Server, job_id: int) -> str:
    return str((await server.job(job_id))["state"])


async def end(agent: FakeAgent, attempt: int) -> None:
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await agent.report(attempt, "clean")


async def test_the_head_is_told_when_it_starts_and_short_jobs_overtake_it(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=5)
    await server.submit(**job(3, time_limit_seconds=100))
    await agent.start_next()
    head = await server.submit(**job(5))
    long = await server.submit(**job(1, time_limit_seconds=101))
    short = await server.submit(**job(1, time_limit_seconds=99))
    clock.advance(1)
    await server.one_pass()
    told = await pending(server, head["id"])
    assert (told["reason"], told["position"]) == ("slots", 1)
    assert told["estimated_start"] == (clock.now + timedelta(seconds=99)).isoformat().replace("+00:00", "Z")
    assert (await pending(server, long["id"]))["reason"] == "reserved"
    assert await state(server, short["id"]) == "starting"


async def test_what_has_not_changed_is_not_written_again(server: Server) -> None:
    agent = await server.node(slots=2)
    await server.submit(**job(2))
    await agent.start_next()
    waiting = await server.submit(**job(2))
    await server.one_pass()
    async with server.services.database.write() as session:
        await session.execute(update(Job).where(Job.id == waiting["id"]).values(pending_reason="mark"))
    await server.one_pass()
    assert (await pending(server, waiting["id"]))["reason"] == "mark"


@pytest.mark.both_databases
async def test_a_pass_has_a_second_transaction_only_for_what_it_decides(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await server.node(slots=2)
    kept = []
    keep = Lease.keep

    async def noted(lease: Lease, session: AsyncSession) -> None:
        kept.append(lease)
        await keep(lease, session)

    monkeypatch.setattr(Lease, "keep", noted)
    await server.one_pass()
    assert kept == [], "nobody waits"
    await server.submit(**job(2))
    await agent.start_next()
    assert len(kept) == 1, "one starts"
    await server.submit(**job(2))
    await server.one_pass()
    assert len(kept) == 2, "one is told why it waits"
    await server.one_pass()
    assert len(kept) == 2, "it has been told"


async def test_a_job_that_was_cancelled_after_the_plan_was_made_is_not_started(server: Server) -> None:
    await server.node(slots=2)
    cancelled = await server.submit(**job(2))
    decided = await decide(server.services.database, Queue(), 1, Policy(), server.clock())
    await server.admin.post(f"/api/v1/jobs/{cancelled['id']}/cancel")
    changes = Changes()
    async with server.services.database.write() as session:
        await carry_out(session, decided, changes, server.clock())
    assert len(decided.plan.starts) == 1
    assert (await state(server, cancelled["id"]), changes) == ("cancelled", Changes())


async def test_garbage_is_collected_again_after_a_pass_that_failed(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.node(slots=2)
    await server.submit(**job(2))
    seen = []

    def failing(*_: object) -> None:
        seen.append(gc.isenabled())
        raise ZeroDivisionError

    monkeypatch.setattr(dispatch, "plan", failing)
    with pytest.raises(ZeroDivisionError):
        await decide(server.services.database, Queue(), 1, Policy(), server.clock())
    assert (seen, gc.isenabled()) == ([False], True)


async def test_what_was_planned_for_a_job_that_no_longer_waits_is_not_told(server: Server) -> None:
    await server.node(slots=2)
    jobs = [await server.submit(**job(2)) for _ in range(2)]
    decided = await decide(server.services.database, Queue(), 1, Policy(), server.clock())
    await server.admin.post(f"/api/v1/jobs/{jobs[1]['id']}/cancel")
    async with server.services.database.write() as session:
        await carry_out(session, decided, Changes(), server.clock())
    assert [item.job_id for item in decided.news] == [jobs[1]["id"]]
    assert (await server.job(jobs[1]["id"]))["pending"] is None


@pytest.mark.both_databases
async def test_slots_in_use_are_found_without_reading_the_whole_history(server: Server) -> None:
    engine = server.services.database.engine
    if engine.dialect.name != "sqlite":
        pytest.skip("a small table is read as a whole by PostgreSQL, whatever its indexes")
    query = select(Allocation.slot).where(IS_HELD).compile(engine)
    async with engine.connect() as connection:
        found = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")
        assert "uq_allocations_active_slot" in str(found.all())


def test_a_long_pass_is_followed_by_a_longer_rest_up_to_the_interval() -> None:
    assert [rest_seconds(seconds, 1.0) for seconds in (0.0, 0.1, 5.0)] == [0.0, pytest.approx(0.3), 1.0]


@pytest.mark.both_databases
async def test_an_ended_attempt_is_charged_once_and_the_other_user_goes_first(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=2)
    await server.submit(**job(2))
    attempt = await agent.start_next()
    mine, other = await server.submit(**job(2)), await server.submit(**job(2))
    async with server.services.database.write() as session:
        await session.execute(update(Job).where(Job.id == other["id"]).values(user="eve"))
    clock.advance(10)
    await end(agent, attempt)
    await server.one_pass()
    await server.one_pass()
    async with server.services.database.read() as session:
        (row,) = (await session.scalars(select(Usage))).all()
    assert (row.user, row.slot_seconds) == ("admin", 2 * 10.0)
    assert (await state(server, mine["id"]), await state(server, other["id"])) == ("queued", "starting")


@pytest.mark.both_databases
async def test_usage_counts_half_after_the_half_life(server: Server, clock: Clock) -> None:
    async with server.services.database.write() as session:
        await usage.charge(session, "ann", 4, 100.0, clock.now, half_life_hours=1.0)
        clock.advance(3600)
        await usage.charge(session, "ann", 1, 50.0, clock.now, half_life_hours=1.0)
    async with server.services.database.read() as session:
        assert await usage.of_all(session, clock.now, 1.0) == {"ann": pytest.approx(250.0)}
        assert await usage.of_all(session, clock.now + timedelta(hours=2), 1.0) == {"ann": pytest.approx(62.5)}


async def test_a_quarantined_slot_is_not_given_away_and_no_exclusive_gang_comes_beside_it(server: Server) -> None:
    agent = await server.node(slots=3)
    await server.submit(**job(1))
    attempt = await agent.start_next()
    await end(agent, attempt)
    async with server.services.database.write() as session:
        row = {"node_id": 1, "slot": 0, "attempt_id": attempt, "message": "x", "created_at": server.clock()}
        await session.execute(insert(QuarantinedSlot), [row])
    waiting = await server.submit(**job(3))
    alone = await server.submit(**job(1, placement={"exclusive": True}))
    fitting = await server.submit(**job(2))
    await server.one_pass()
    assert (await pending(server, waiting["id"]))["sentence"].startswith("Waits for more nodes: it needs 3 slots")
    assert (await pending(server, alone["id"]))["reason"] == "no_node"
    assert await state(server, fitting["id"]) == "starting"
    async with server.services.database.read() as session:
        slots = await session.scalars(select(Allocation.slot).where(Allocation.is_active))
        assert set(slots) == {1, 2}


async def test_a_drained_node_takes_no_new_work(server: Server) -> None:
    await server.node("n1", 2)
    await server.node("n2", 2)
    async with server.services.database.write() as session:
        await session.execute(update(Node).where(Node.name == "n1").values(desired="drain"))
    both = [await server.submit(**job(2)) for _ in range(2)]
    await server.one_pass()
    assert [await state(server, found["id"]) for found in both] == ["starting", "queued"]


async def test_labels_that_people_set_count(server: Server) -> None:
    await server.node("n1", 2, {"rack": "r1"})
    await server.node("n2", 2)
    async with server.services.database.write() as session:
        await session.execute(update(Node).where(Node.name == "n1").values(label_overrides={"rack": None}))
        await session.execute(update(Node).where(Node.name == "n2").values(label_overrides={"rack": "r1"}))
    asked = await server.submit(**job(2, placement={"selector": {"rack": "r1"}}))
    await server.one_pass()
    assert (await server.job(asked["id"]))["attempts"][0]["nodes"] == ["n2"]


async def test_an_exclusive_gang_has_its_node_alone(server: Server) -> None:
    await server.node(slots=4)
    first = await server.submit(**job(1, placement={"exclusive": True}))
    second = await server.submit(**job(1))
    await server.one_pass()
    await server.one_pass()
    assert (await state(server, first["id"]), await state(server, second["id"])) == ("starting", "queued")


async def test_a_job_of_higher_priority_ends_a_lower_one_only_where_that_is_allowed(server: Server) -> None:
    agent = await server.node(slots=2)
    low = await server.submit(**job(2, priority=10))
    await agent.start_next()
    high = await server.submit(**job(2, priority=90))
    await server.one_pass()
    assert await state(server, low["id"]) == "running"
    allowed = server.services.settings.model_copy(update={"allow_preemption": True})
    server.services.settings = allowed
    await server.one_pass()
    ended = await server.job(low["id"])
    assert (ended["state"], ended["reason"]) == ("stopping", "preempted")
    assert ended["message"] == f"Ended so that job {high['id']}, which has a higher priority, can start."
    assert (await agent.assignments())[0]["desired"] == "stop"


async def test_a_retry_keeps_its_own_words_until_it_is_due(server: Server, clock: Clock) -> None:
    await server.node(slots=2)
    retry = await server.submit(**job(2))
    values = {"not_before": clock.now + timedelta(seconds=20), "pending_reason": "backoff", "pending_sentence": "Mine."}
    async with server.services.database.write() as session:
        await session.execute(update(Job).where(Job.id == retry["id"]).values(**values))
    await server.one_pass()
    assert (await pending(server, retry["id"]))["sentence"] == "Mine."
    clock.advance(14)
    await FakeAgent(server, "n1", 2, {}, epoch=1).assignments()
    clock.advance(6)
    await server.one_pass()
    assert await state(server, retry["id"]) == "starting"


async def test_ranks_on_slots_that_a_node_has_no_more_still_fill_it(server: Server) -> None:
    agent = await server.node(slots=4)
    for _ in range(2):
        await server.submit(**job(2))
    await server.one_pass()
    async with server.services.database.write() as session:
        await session.execute(update(Node).values(slots=3))
        first = await session.scalar(select(Attempt.id).order_by(Attempt.id).limit(1))
    assert first is not None
    await end(agent, first)
    two, one = await server.submit(**job(2)), await server.submit(**job(1))
    await server.one_pass()
    assert (await state(server, two["id"]), await state(server, one["id"])) == ("queued", "starting")
