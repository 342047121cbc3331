"""A job that the server fails to judge, end or stop is ended, and delays no other job."""

from typing import Any

import pytest
from sqlalchemy import update
from tests.server.conftest import ONE_SIZE, Clock, Server, measurement

from ringscope_server.attempts import gangs, verdicts
from ringscope_server.db.models import Measurement


async def test_wrong_elements_that_no_integer_could_add_up_end_their_job(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, measurement(wrong=2**53), measurement(in_place=True, wrong=2**53))
    async with server.services.database.write() as session:  # as an earlier version stored them
        await session.execute(update(Measurement).values(wrong=2**63 - 1))
    await agent.report(attempt, "ended", reason="completed")
    assert (await agent.report(attempt, "clean", last_sequence=2)).status_code == 204
    assert (await server.job(job["id"]))["reason"] == "verification_failed"


async def test_what_cannot_be_judged_ends_and_frees_its_slots(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> None:
        raise ArithmeticError("integer overflow")

    monkeypatch.setattr(verdicts, "verdict", fail)
    agent = await server.node("n1", 2)
    job = await server.submit(**ONE_SIZE, max_attempts=1)
    attempt = await agent.start_next()
    await agent.report(attempt, "ended", reason="completed")
    assert (await agent.report(attempt, "clean")).status_code == 204
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("failed", "server_error")
    assert ended["message"] == "The server made a mistake; its log has the details."
    assert "integer overflow" in caplog.text


@pytest.mark.parametrize("mistake", ["verdicts.verdict", "gangs.finish_if_clean"])
async def test_an_attempt_that_fails_to_end_keeps_no_other_from_going_on(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    async def fail(*_: object) -> None:
        raise ArithmeticError("integer overflow")

    lost, other = await server.node("n1", 2), await server.node("n2", 2)
    job = await server.submit(**ONE_SIZE, max_attempts=1)
    attempt = await lost.start_next()
    await lost.report(attempt, "ended", reason="completed")
    following = await server.submit(**ONE_SIZE)
    monkeypatch.setattr(f"ringscope_server.attempts.{mistake}", fail)
    clock.advance(20)
    await other.assignments()
    await server.one_pass()
    assert (await server.job(job["id"]))["reason"] == "server_error"
    assert (await server.job(following["id"]))["state"] == "starting"


async def test_an_attempt_that_fails_to_stop_is_told_to_and_keeps_no_other_from_going_on(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = [await server.node(name, 2) for name in ("n1", "n2")]
    job = await server.submit(**ONE_SIZE, time_limit_seconds=60, max_attempts=1)
    attempt = await agents[0].start_next()
    whole = gangs.stop

    async def fail(session: Any, job_id: int, reason: str, *more: Any, **columns: Any) -> bool:
        if reason == "time_limit":
            raise ArithmeticError("integer overflow")
        return await whole(session, job_id, reason, *more, **columns)

    monkeypatch.setattr(gangs, "stop", fail)
    for _ in range(7):
        clock.advance(10)
        for agent in agents:
            await agent.assignments()
        await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "stopping"
    await agents[0].report(attempt, "clean")
    assert (await server.job(job["id"]))["reason"] == "server_error"
