"""Jobs that have succeeded are judged once; lists filter by the judgement, and a schedule's low one is an event."""

import asyncio
from typing import Any

import pytest
from tests.server.conftest import Clock, FakeAgent, Server
from tests.server.imports.test_create_imports import listed, stored
from tests.server.imports.test_get_judgement import rows
from tests.server.jobs.test_count_jobs import counted
from tests.server.overload.waiting import DEADLINE_SECONDS
from tests.server.receiver import LOOPBACK, running_receiver
from tests.server.results.test_tuning import run_job
from tests.server.webhooks.test_deliver_webhooks import allow, make, send

from ringscope_server.background import judging
from ringscope_server.background.judging import look
from ringscope_server.db.models import Job
from ringscope_server.jobs.views import judgement_kind


async def judged(server: Server, job_id: int) -> str | None:
    await server.one_pass()  # the server holds the lease from its first pass on
    await look(server.services)
    found: str | None = (await server.job(job_id))["judgement"]
    return found


async def slow_one(server: Server, node: FakeAgent) -> int:
    """A run after three that were twice as fast."""
    for _ in range(3):
        await run_job(server, node, *rows(10.0))
    return await run_job(server, node, *rows(20.0))


async def told(server: Server, job_id: int) -> list[dict[str, Any]]:
    events = await listed(server, f"/jobs/{job_id}/events")
    return [event for event in events if event["action"] == "job.judged_low"]


async def let_a_schedule_own(server: Server, job_id: int) -> None:
    """Let a schedule have submitted the job, and let it have no judgement yet."""
    body = {"name": "nightly", "cron": "0 3 * * *", "spec": {"benchmark": {"max_bytes": 8}}}
    made = await server.admin.post("/api/v1/schedules", json=body)
    assert made.status_code == 201, made.text
    async with server.services.database.write() as session:
        job = await session.get_one(Job, job_id)
        job.schedule_id, job.judgement = made.json()["id"], None


def test_the_kind_is_the_word_without_its_number() -> None:
    words = ("as expected", "low by 5 %", "above what was expected", "impossible", "unknown")
    assert [judgement_kind(word) for word in words] == ["as_expected", "low", "above", "impossible", "unknown"]


async def test_an_imported_job_is_judged_once(server: Server) -> None:
    job = await stored(server)
    assert job["judgement"] is None
    assert await judged(server, job["id"]) == "as_expected"


async def test_lists_filter_by_the_judgement(server: Server) -> None:
    low = await slow_one(server, await server.node())
    assert await judged(server, low) == "low"
    assert [job["id"] for job in await listed(server, "/jobs", judgement="low")] == [low]
    assert len(await listed(server, "/jobs", judgement="unknown")) == 3, "the first three had nothing before them"
    assert await listed(server, "/jobs", judgement="low", state="failed") == []
    refused = await server.admin.get("/api/v1/jobs", params={"judgement": "bad"})
    assert refused.status_code == 422


async def test_facets_count_the_judgements_and_leave_out_their_own_filter(server: Server) -> None:
    low = await slow_one(server, await server.node())
    assert (await counted(server))["judgement"] == {}, "nothing is judged yet"
    assert await judged(server, low) == "low"
    everything = await counted(server)
    assert everything["judgement"] == {"unknown": 3, "low": 1}
    chosen = await counted(server, judgement="low")
    assert (chosen["total"], chosen["state"], chosen["judgement"]) == (1, {"succeeded": 1}, everything["judgement"])


async def test_a_job_that_did_not_succeed_or_is_no_benchmark_is_not_judged(server: Server) -> None:
    await server.node()
    waiting = await server.submit(benchmark={"max_bytes": 8})
    assert await judged(server, waiting["id"]) is None


async def test_only_a_schedules_low_job_is_told_once(server: Server, clock: Clock) -> None:
    low = await slow_one(server, await server.node())
    assert await judged(server, low) == "low"
    assert await told(server, low) == [], "a person submitted it, and sees it"
    await let_a_schedule_own(server, low)
    for _ in range(2):
        assert await judged(server, low) == "low"
    (event,) = await told(server, low)
    assert (event["actor"], event["after"]) == ("system", "low")
    assert "low by 50 %" in event["message"]
    async with server.services.database.write() as session:
        (await session.get_one(Job, low)).judgement = None
    clock.advance(3700)
    assert await judged(server, low) == "low"
    assert len(await told(server, low)) == 1, "what an upgrade judges later is no news"


@pytest.mark.both_databases
async def test_a_webhook_receives_a_schedules_low_judgement(server: Server) -> None:
    allow(server, LOOPBACK)
    low = await slow_one(server, await server.node())
    await let_a_schedule_own(server, low)
    async with running_receiver() as receiver:
        await make(server, receiver.url(), "job.judged_low")
        assert await judged(server, low) == "low"
        await send(server)
        (message,) = receiver.messages
    told = message.json
    assert (told["type"], told["data"]["target_id"]) == ("job.judged_low", str(low))
    assert "low by 50 %" in told["data"]["message"]


async def test_a_look_counts_as_done_only_if_it_succeeds(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "INTERVAL_SECONDS", 0.0)
    looks, outcomes = asyncio.Queue[int](), [RuntimeError("nothing can be judged")]
    done: list[str] = []
    monkeypatch.setattr(server.services.background_tasks, "done", done.append)

    async def second_one_succeeds(_: object) -> None:
        failures = list(outcomes)
        outcomes.clear()
        looks.put_nowait(len(done))
        if failures:
            raise failures[0]

    monkeypatch.setattr(judging, "look", second_one_succeeds)
    running = asyncio.create_task(judging.run(server.services))
    async with asyncio.timeout(DEADLINE_SECONDS):
        done_before = [await looks.get() for _ in range(3)]
    running.cancel()
    assert done_before == [0, 0, 1]
    assert set(done) == {"judging"}
