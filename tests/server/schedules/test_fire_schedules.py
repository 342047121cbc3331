"""Schedules fire: once for each of their times, whatever happens meanwhile."""

import asyncio
import sqlite3
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server
from tests.server.schedules.test_schedules import PATH, events, make

from ringscope_server.changes import Changes
from ringscope_server.db.models import Schedule
from ringscope_server.jobs import service as jobs
from ringscope_server.scheduler import loop
from ringscope_server.schedules.firing import fire_due


async def jobs_of(server: Server) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await server.admin.get("/api/v1/jobs")).json()["items"]
    return items


async def read(server: Server, schedule: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await server.admin.get(f"{PATH}/{schedule['id']}")).json()
    return found


FIVE_MINUTES = 300


async def often(server: Server, **more: Any) -> dict[str, Any]:
    """Every five minutes."""
    return await make(server, **({"cron": "*/5 * * * *", "timezone": "UTC"} | more))


async def wait(agent: FakeAgent, seconds: float) -> None:
    """Time passes, the agent stays in touch, and the scheduler looks."""
    agent.server.clock.advance(seconds)
    await agent.assignments()
    await agent.server.one_pass()


async def test_a_due_schedule_submits_its_job_for_its_user(server: Server, clock: Clock) -> None:
    agent = await server.node()
    schedule = await often(server)
    await wait(agent, FIVE_MINUTES - 1)
    assert await jobs_of(server) == []
    await wait(agent, 1)
    (job,) = await jobs_of(server)
    assert (job["user"], job["schedule_id"], job["labels"], job["state"]) == ("admin", schedule["id"], {}, "starting")
    after = await read(server, schedule)
    assert (after["last_fire_at"], after["last_job_id"]) == ("2026-01-01T00:05:00Z", job["id"])
    assert (after["next_fire_at"], after["revision"]) == ("2026-01-01T00:10:00Z", 1)
    assert after["last_outcome"] == f"Job {job['id']} was submitted."
    assert (await events(server, schedule["id"]))[-1] == ("system", "schedule.fired", after["last_outcome"])


async def test_the_upcoming_times_are_those_that_fire(server: Server, clock: Clock) -> None:
    """The schedule fires over the night in which Berlin's clock goes back; at most one time lies between two passes."""
    await server.node()
    clock.go_to(datetime(2026, 10, 24, 20, 0, tzinfo=UTC))
    schedule = await make(server, cron="*/40 1-3 * * *", overlap="queue")
    shown = (await server.admin.get(f"{PATH}/{schedule['id']}/upcoming", params={"count": 12})).json()["items"]
    fired = []
    while len(fired) < 8:
        await server.one_pass()
        newest = (await read(server, schedule))["last_fire_at"]
        if newest is not None and newest not in fired:
            fired.append(newest)
        clock.advance(1200)
    assert fired == shown[:8]


async def test_a_time_never_fires_twice(server: Server, clock: Clock) -> None:
    """Neither in two passes, nor at once by two servers, nor when the clock is set back."""
    await server.node()
    schedule = await often(server, overlap="queue")
    clock.advance(FIVE_MINUTES)

    async def fire() -> None:
        async with server.services.database.write() as session:
            await fire_due(session, Changes(), clock())

    await asyncio.gather(fire(), fire(), fire())
    await server.one_pass()
    async with server.services.database.write() as session:
        await session.execute(update(Schedule).values(next_fire_at=datetime(2026, 1, 1, 0, 5, tzinfo=UTC)))
    await server.one_pass()
    (job,) = await jobs_of(server)
    assert (await read(server, schedule))["last_outcome"] == f"Job {job['id']} was submitted."


async def test_a_pass_that_dies_fires_again_as_if_it_had_not_been(server: Server, clock: Clock) -> None:
    await server.node()
    await often(server)
    clock.advance(FIVE_MINUTES)
    with pytest.raises(RuntimeError, match="killed"):
        async with server.services.database.write() as session:
            await fire_due(session, Changes(), clock())
            raise RuntimeError("killed")
    assert await jobs_of(server) == []
    await server.one_pass()
    assert len(await jobs_of(server)) == 1


async def test_after_downtime_only_the_newest_time_is_made_up_for(server: Server, clock: Clock) -> None:
    await server.node()
    schedule = await make(server, cron="0 * * * *", timezone="UTC")
    clock.advance(5 * 3600 + 600)
    await server.one_pass()
    (job,) = await jobs_of(server)
    after = await read(server, schedule)
    assert after["last_fire_at"] == "2026-01-01T05:00:00Z"
    assert after["last_outcome"] == (
        f"Job {job['id']} was submitted. Times from 2026-01-01 01:00 UTC on were missed: no server was running."
    )


async def test_a_time_missed_by_an_hour_is_left_out_and_told(server: Server, clock: Clock) -> None:
    await server.node()
    schedule = await make(server, cron="0 6 * * *", timezone="UTC")
    clock.advance(7 * 3600)
    await server.one_pass()
    assert await jobs_of(server) == []
    after = await read(server, schedule)
    assert after["last_outcome"] == "Times from 2026-01-01 06:00 UTC on were missed: no server was running."
    assert (after["last_fire_at"], after["next_fire_at"]) == (None, "2026-01-02T06:00:00Z")
    assert (await events(server, schedule["id"]))[-1][1] == "schedule.missed"


async def test_years_of_downtime_cost_nothing(server: Server, clock: Clock) -> None:
    await server.node()
    schedule = await make(server, cron="* * * * *", timezone="UTC")
    clock.go_to(datetime(2126, 1, 1, 0, 0, 30, tzinfo=UTC))
    await server.one_pass()
    assert (await read(server, schedule))["last_fire_at"] == "2126-01-01T00:00:00Z"


async def test_skip_waits_for_the_job_before(server: Server) -> None:
    agent = await server.node()
    schedule = await often(server)
    agent.server.clock.advance(FIVE_MINUTES)
    await agent.assignments()
    attempt = await agent.start_next()
    await wait(agent, FIVE_MINUTES)
    (job,) = await jobs_of(server)
    after = await read(server, schedule)
    assert after["last_outcome"] == f"Skipped: job {job['id']} has not ended."
    assert (after["last_fire_at"], after["last_job_id"]) == ("2026-01-01T00:10:00Z", job["id"])
    assert (await events(server, schedule["id"]))[-1][1] == "schedule.skipped"
    await agent.report(attempt, "ended", reason="completed", message="")
    await agent.report(attempt, "clean")
    await wait(agent, FIVE_MINUTES)
    assert len(await jobs_of(server)) == 2


async def test_queue_submits_one_more(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=2)
    await often(server, overlap="queue")
    clock.advance(FIVE_MINUTES)
    await agent.assignments()
    await agent.start_next()
    await wait(agent, FIVE_MINUTES)
    assert [job["state"] for job in await jobs_of(server)] == ["queued", "running"]


async def test_replace_cancels_what_runs_and_what_waits(server: Server) -> None:
    agent = await server.node(slots=2)
    schedule = await often(server, overlap="replace")
    running = (await server.admin.post(f"{PATH}/{schedule['id']}/run")).json()
    await agent.start_next()
    waiting = (await server.admin.post(f"{PATH}/{schedule['id']}/run")).json()
    await server.submit(**ONE_SIZE)  # somebody else's: it stays
    await wait(agent, FIVE_MINUTES)
    states = {job["id"]: (job["state"], job["message"]) for job in await jobs_of(server)}
    said = "Cancelled by schedule/nightly."
    assert states[running["id"]] == ("stopping", said)
    assert states[waiting["id"]] == ("cancelled", said)
    assert [state for state, _ in list(states.values())[:2]] == ["queued", "queued"]
    assert [a["desired"] for a in await agent.assignments()] == ["stop"]
    assert server.services.monitoring.finished["benchmark", "cancelled"] == 1


async def test_what_does_not_fit_is_told_and_cancels_nothing(server: Server) -> None:
    agent = await server.node(slots=2)
    schedule = await often(server, overlap="replace")
    running = (await server.admin.post(f"{PATH}/{schedule['id']}/run")).json()
    await agent.start_next()
    large = ONE_SIZE | {"placement": {"ranks": 64}}
    await server.admin.put(
        f"{PATH}/{schedule['id']}",
        json={"name": "nightly", "cron": "*/5 * * * *", "overlap": "replace", "spec": large},
    )
    await wait(agent, FIVE_MINUTES)
    after = await read(server, schedule)
    assert after["last_outcome"].startswith("Not submitted: placement.ranks: 64 ranks were asked for, but")
    assert after["next_fire_at"] == "2026-01-01T00:10:00Z"
    assert (await events(server, schedule["id"]))[-1][1] == "schedule.failed"
    (job,) = await jobs_of(server)
    assert (job["id"], job["state"]) == (running["id"], "running")


async def test_a_specification_that_is_no_longer_taken_is_told(server: Server, clock: Clock) -> None:
    await server.node()
    schedule = await often(server)
    async with server.services.database.write() as session:
        await session.execute(update(Schedule).values(spec={"kind": "long gone"}))
    clock.advance(FIVE_MINUTES)
    await server.one_pass()
    outcome = (await read(server, schedule))["last_outcome"]
    assert outcome.startswith("Not submitted: kind: unknown kind 'long gone'")


async def test_a_schedule_that_breaks_something_keeps_nobody_from_going_on(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.node()
    broken, fine = await often(server), await often(server, name="other")
    submit = jobs.submit

    async def fails_for_one(*args: Any, **more: Any) -> Any:
        done = await submit(*args, **more)
        if more["schedule_id"] == broken["id"]:
            raise RuntimeError("a mistake")
        return done

    monkeypatch.setattr(jobs, "submit", fails_for_one)
    clock.advance(FIVE_MINUTES)
    await server.one_pass()
    (job,) = await jobs_of(server)
    assert job["schedule_id"] == fine["id"]
    said = (await read(server, broken))["last_outcome"]
    assert said == "Not submitted: the server made a mistake; its log has the details."


async def test_a_time_that_meets_trouble_of_the_database_is_fired_once_that_has_passed(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.node()
    schedule = await often(server)
    due = schedule["next_fire_at"]

    async def is_full(*args: Any, **more: Any) -> Any:
        raise OperationalError("INSERT", {}, sqlite_error(sqlite3.SQLITE_FULL))

    clock.advance(FIVE_MINUTES)
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "submit", is_full)
        await loop.try_pass(server.services)
    assert await jobs_of(server) == []
    assert (await read(server, schedule))["next_fire_at"] == due
    await server.one_pass()
    assert [job["schedule_id"] for job in await jobs_of(server)] == [schedule["id"]]


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = code
    return error


async def test_the_cap_on_waiting_jobs_holds_for_schedules_too(server: Server) -> None:
    server.services.settings = server.services.settings.model_copy(update={"max_queued_jobs_per_user": 1})
    agent = await server.node(slots=2)
    schedule = await often(server, overlap="queue")
    await server.submit(**ONE_SIZE)
    await agent.start_next()
    waiting = await server.submit(**ONE_SIZE)
    await wait(agent, FIVE_MINUTES)
    assert [job["id"] for job in await jobs_of(server) if job["state"] == "queued"] == [waiting["id"]]
    assert (await read(server, schedule))["last_outcome"].startswith("Not submitted: ")
    refused = await server.admin.post(f"{PATH}/{schedule['id']}/run")
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_queued")
