"""A pass of the scheduler publishes what it commits even if it fails later, and its transactions are short."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import ONE_SIZE, Clock, Server

from ringscope_server.db.lease import Lease, LeaseTakenError
from ringscope_server.placement.plan import Plan, Start
from ringscope_server.scheduler import deadlines, dispatch, loop
from ringscope_server.scheduler.dispatch import Decision
from ringscope_server.scheduler.waiting_reasons import NewReason
from ringscope_server.schedules import firing

ONE_RANK = ONE_SIZE | {"placement": {"ranks": 1}}


async def states(server: Server) -> list[str]:
    """Return the states of all jobs, the oldest first."""
    return [job["state"] for job in reversed((await server.admin.get("/api/v1/jobs")).json()["items"])]


async def test_what_the_first_half_commits_is_told_though_the_second_fails(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await server.node(slots=1)
    await server.submit(**ONE_RANK, time_limit_seconds=10)
    await agent.start_next()
    clock.advance(9)
    seen = (await agent.post("poll", {"seen": -1})).json()["revision"]
    clock.advance(2)

    async def fails(*_: Any) -> Decision:
        raise RuntimeError("no plan")

    monkeypatch.setattr(loop, "decide", fails)
    with pytest.raises(RuntimeError, match="no plan"):
        await server.one_pass()
    told = (await agent.post("poll", {"seen": seen})).json()["assignments"]
    assert [assignment["desired"] for assignment in told] == ["stop"]


async def test_many_starts_have_a_transaction_for_each_part_and_what_is_done_stays(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await server.node(slots=3)
    seen = (await agent.post("poll", {"seen": -1})).json()["revision"]
    for _ in range(3):
        await server.submit(**ONE_RANK)
    kept: list[Lease] = []
    keep = Lease.keep

    async def taken_at_the_third(lease: Lease, session: AsyncSession) -> None:
        kept.append(lease)
        if len(kept) == 3:
            raise LeaseTakenError
        await keep(lease, session)

    monkeypatch.setattr(Lease, "keep", taken_at_the_third)
    monkeypatch.setattr(dispatch, "MOVES_AT_ONCE", 1)
    with pytest.raises(LeaseTakenError):
        await server.one_pass()
    assert await states(server) == ["starting", "starting", "queued"]
    assert len((await agent.post("poll", {"seen": seen})).json()["assignments"]) == 2, "it is told of those"
    await server.one_pass()
    assert await states(server) == ["starting"] * 3


def test_a_decision_is_cut_into_parts_that_hold_each_thing_once() -> None:
    starts = tuple(Start(number, ()) for number in range(120))
    news = tuple(NewReason(number, "slots", "", 1, None, is_quiet=False) for number in range(2_001))
    decided = Decision(Plan(starts=starts, waits=()), news)
    parts = list(decided.parts())
    assert [len(part.plan.starts) for part in parts] == [25, 25, 25, 25, 20]
    assert [len(part.news) for part in parts] == [2_000, 1, 0, 0, 0]
    assert sum((part.plan.starts for part in parts), ()) == starts
    assert list(Decision(Plan(starts=(), waits=()), ()).parts()) == []


async def test_what_is_overdue_stops_over_several_passes(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await server.node(slots=2)
    for _ in range(2):
        await server.submit(**ONE_RANK, time_limit_seconds=10)
    await server.one_pass()
    for assignment in await agent.assignments():
        await agent.report(assignment["attempt_id"], "ready")
        await agent.report(assignment["attempt_id"], "running")
    monkeypatch.setattr(deadlines, "AT_ONCE", 1)
    clock.advance(11)
    await server.one_pass()
    assert sorted(await states(server)) == ["running", "stopping"]
    await server.one_pass()
    assert await states(server) == ["stopping"] * 2


async def test_schedules_that_are_due_at_once_fire_over_several_passes(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.node(slots=2)
    for name in ("a", "b"):
        made = await server.admin.post(
            "/api/v1/schedules", json={"name": name, "cron": "*/5 * * * *", "timezone": "UTC", "spec": ONE_RANK}
        )
        assert made.status_code == 201, made.text
    monkeypatch.setattr(firing, "AT_ONCE", 1)
    clock.advance(timedelta(minutes=5).total_seconds())
    for count in (1, 2):
        await server.one_pass()
        assert len(await states(server)) == count
