"""The scheduler's lease: one server holds it, a paused one cannot commit, the next takes over."""

import asyncio
from contextlib import nullcontext
from datetime import datetime, timedelta

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.db.engine import Database
from ringscope_server.db.lease import LeaseTakenError
from ringscope_server.db.models import Lease
from ringscope_server.scheduler import loop
from ringscope_server.services import Services

pytestmark = pytest.mark.both_databases

LAST_PASS = "\nringscope_scheduler_last_pass_timestamp_seconds "


async def test_the_holder_keeps_it_and_the_fence_counts_holders(server: Server) -> None:
    await server.one_pass()
    await server.one_pass()
    row = await lease(server.services)
    assert (row.holder, row.fence) == (server.services.instance, 1)
    left = row.expires_at - await now(server.services)
    assert timedelta(0) < left <= timedelta(seconds=server.services.settings.lease_seconds)


async def test_a_released_lease_can_be_taken_at_once(server: Server) -> None:
    await server.one_pass()
    await server.services.lease.release()
    assert (await lease(server.services)).expires_at <= await now(server.services)
    await server.one_pass()


async def test_another_holder_keeps_this_server_from_scheduling_until_its_time_is_over(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    await hand_to(server.services, "another", seconds=60)
    with pytest.raises(LeaseTakenError):
        await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "queued"
    await hand_to(server.services, "another", seconds=-1)
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "starting"


async def test_a_server_that_starts_after_one_was_killed_waits_for_its_lease_only_where_another_may_live(
    server: Server,
) -> None:
    await hand_to(server.services, "killed", seconds=60)
    async with server.services.database.write() as session:
        await server.services.lease.create(session)  # as every start does
    if server.services.database.is_sqlite:  # the lock of the data directory lets no other live
        await server.one_pass()
        return
    with pytest.raises(LeaseTakenError):
        await server.one_pass()


@pytest.mark.parametrize(("holder", "seconds"), [("another", 60), (None, -1)])
async def test_a_pass_that_stood_still_for_too_long_is_given_up_where_another_server_may_have_taken_over(
    server: Server, holder: str | None, seconds: float
) -> None:
    lease_of_server, database = server.services.lease, server.services.database
    await server.one_pass()
    async with database.write() as session:
        await lease_of_server.keep(session)
    await hand_to(server.services, holder or server.services.instance, seconds)
    is_alone = holder is None and database.is_sqlite
    with nullcontext() if is_alone else pytest.raises(LeaseTakenError):
        async with database.write() as session:
            await lease_of_server.keep(session)


async def test_one_of_two_schedules_and_the_other_goes_on_serving(two_servers: tuple[Server, Server]) -> None:
    first, second = two_servers
    await first.node()
    await first.one_pass()
    job = await second.submit(**ONE_SIZE)
    with pytest.raises(LeaseTakenError):
        await second.one_pass()
    await first.one_pass()
    assert (await second.job(job["id"]))["state"] == "starting"


async def test_a_server_that_only_looks_does_not_keep_the_holder_waiting(two_servers: tuple[Server, Server]) -> None:
    holder, other = two_servers
    await holder.one_pass()
    async with other.services.database.write() as session:
        with pytest.raises(LeaseTakenError):
            await other.services.lease.take(session)
        await holder.one_pass()  # while the other's transaction is still open
    assert holder.services.lease.is_held


@pytest.mark.parametrize("step", ["take", "keep"])
async def test_nor_does_one_that_had_the_lease_and_was_paused_since(
    two_servers: tuple[Server, Server], step: str
) -> None:
    holder, woken = two_servers
    await woken.one_pass()
    await hand_to(woken.services, woken.services.instance, seconds=-1)
    await holder.one_pass()
    assert woken.services.lease.is_held, "as far as it knows"
    async with woken.services.database.write() as session:
        with pytest.raises(LeaseTakenError):
            await getattr(woken.services.lease, step)(session)
        await holder.one_pass()  # while the other's transaction is still open
    assert holder.services.lease.is_held and not woken.services.lease.is_held


@pytest.mark.parametrize("step", ["take", "keep"])
async def test_nor_does_one_that_is_paused_when_it_has_just_begun_to_look(
    two_servers: tuple[Server, Server], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder, woken = two_servers
    await woken.one_pass()
    clock = type(woken.services.database).time
    passes_during_the_pause = []

    async def time_and_pause(database: Database, session: AsyncSession) -> datetime:
        time = await clock(database, session)
        if database is woken.services.database and not passes_during_the_pause:
            passes_during_the_pause.append("a hand-over")
            await hand_to(woken.services, woken.services.instance, seconds=-1)
            await holder.one_pass()
        return time

    monkeypatch.setattr(Database, "time", time_and_pause)
    async with woken.services.database.write() as session:
        with pytest.raises(LeaseTakenError):
            await getattr(woken.services.lease, step)(session)
        await holder.one_pass()  # while the other's transaction is still open
    assert passes_during_the_pause
    assert holder.services.lease.is_held and not woken.services.lease.is_held


async def test_two_tasks_of_the_holder_wait_for_each_other_and_neither_loses_the_lease(
    two_servers: tuple[Server, Server],
) -> None:
    holder, other = two_servers
    await holder.one_pass()
    services = holder.services
    async with services.database.write() as session:
        await services.lease.keep(session)  # as insights do, beside the scheduler
        one_pass = asyncio.create_task(holder.one_pass())
        await waiting_for_a_lock(other.services)
        assert not one_pass.done() and services.lease.is_held
    await one_pass
    async with services.database.write() as session:
        await services.lease.take(session)

        async def keep() -> None:
            async with services.database.write() as beside:
                await services.lease.keep(beside)

        kept = asyncio.create_task(keep())
        await waiting_for_a_lock(other.services)
        assert not kept.done()
    await kept
    assert services.lease.is_held


async def waiting_for_a_lock(services: Services) -> None:
    """Wait until some session of this database waits for a lock."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with asyncio.timeout(30):
        while True:
            async with services.database.read() as session:
                if await session.scalar(text(query)):
                    return


async def test_a_server_that_is_paused_in_a_pass_keeps_the_others_off_and_then_commits_nothing(
    two_servers: tuple[Server, Server],
) -> None:
    first, second = two_servers
    await first.node()
    job = await first.submit(**ONE_SIZE)
    with pytest.raises(DBAPIError):
        async with first.services.database.write() as session:
            await first.services.lease.take(session)
            await session.execute(text("UPDATE jobs SET state = 'starting'"))
            await hand_over_would_have_to_wait(second)
            # What PostgreSQL does to a transaction that stands still for too long.
            process = await session.scalar(select(func.pg_backend_pid()))
            async with second.services.database.read() as other:
                await other.scalar(select(func.pg_terminate_backend(process, 5000)))
    await second.one_pass()
    attempts = (await second.job(job["id"]))["attempts"]
    assert [attempt["number"] for attempt in attempts] == [1]
    with pytest.raises(LeaseTakenError):
        await first.one_pass()


async def test_a_follower_has_metrics_and_is_ready_but_no_pass_of_its_own(two_servers: tuple[Server, Server]) -> None:
    first, second = two_servers
    await first.node()
    await first.one_pass()
    assert (await second.admin.get("/readyz")).status_code == 503
    await loop.try_pass(second.services)
    assert (await second.admin.get("/readyz")).status_code == 200
    metrics = (await second.admin.get("/metrics")).text
    assert 'ringscope_node_up{node="n1"} 1.0' in metrics
    assert LAST_PASS not in metrics
    assert LAST_PASS in (await first.admin.get("/metrics")).text


async def test_the_loop_gives_the_lease_back_when_the_server_stops(two_servers: tuple[Server, Server]) -> None:
    first, second = two_servers
    first.services.close()
    await loop.run(first.services)  # makes no pass any more
    await second.one_pass()
    second.services.close()
    await loop.run(second.services)
    assert (await lease(second.services)).expires_at <= await now(second.services)


async def test_a_loop_that_is_cancelled_while_it_gives_the_lease_back_does_so_all_the_same(
    two_servers: tuple[Server, Server],
) -> None:
    first, second = two_servers
    await first.one_pass()
    first.services.close()
    async with second.services.database.write() as session:
        await session.execute(select(Lease).with_for_update(key_share=True))
        ending = asyncio.create_task(loop.run(first.services))  # makes no pass any more
        await waiting_for_a_lock(second.services)
        ending.cancel()
        await asyncio.wait({ending}, timeout=0)  # it hears of that while it still waits for the row
    with pytest.raises(asyncio.CancelledError):
        await ending
    await second.one_pass()


async def hand_over_would_have_to_wait(server: Server) -> None:
    # Its time is over, but its holder is in the middle of a pass.
    with pytest.raises(LeaseTakenError):
        async with server.services.database.write() as session:
            await server.services.lease.take(session)


async def hand_to(services: Services, holder: str, seconds: float) -> None:
    until = await now(services) + timedelta(seconds=seconds)
    async with services.database.write() as session:
        await session.execute(update(Lease).values(holder=holder, expires_at=until))


async def lease(services: Services) -> Lease:
    async with services.database.read() as session:
        return (await session.scalars(select(Lease))).one()


async def now(services: Services) -> datetime:
    async with services.database.read() as session:
        return await services.database.time(session)
