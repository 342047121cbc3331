"""Two servers on one PostgreSQL: what one commits, the other tells its agents and browsers."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement, running_server, steps

from ringscope_server.background import bus
from ringscope_server.db.engine import Database
from ringscope_server.live.messages import Message
from ringscope_server.live.notices import IDS_PER_NOTICE, Notice, Notices, Rows
from ringscope_server.live.subscriber import Subscriber
from ringscope_server.placement.queue import Queue

pytestmark = pytest.mark.both_databases

DEADLINE_SECONDS = 20
NOTIFY_BYTES = 8000
LISTENERS = "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'"


@pytest.fixture
async def pair(two_servers: tuple[Server, Server]) -> AsyncIterator[tuple[Server, Server]]:
    """Both of them hear each other by now."""
    await listening(two_servers[0].services.database)
    yield two_servers


async def test_a_job_that_one_accepts_reaches_the_browsers_of_the_other(pair: tuple[Server, Server]) -> None:
    first, second = pair
    await first.node()
    with second.services.stream.subscription(["jobs"], None) as reader:
        job = await first.submit(**ONE_SIZE)
        message = await next_message(reader)
    assert (message.type, message.data["id"], message.data["state"]) == ("job", job["id"], "queued")


async def test_rows_and_output_reach_the_browsers_of_the_other(pair: tuple[Server, Server]) -> None:
    first, second = pair
    agent = await first.node()
    await first.submit(**ONE_SIZE | {"hold": True})
    job = await first.submit(**ONE_SIZE)
    await first.one_pass()
    attempt = (await agent.assignments())[-1]["attempt_id"]
    assert attempt != job["id"], "so that one cannot pass for the other"
    line = {"type": "log", "rank": 0, "stream": "stdout", "time_ns": 1, "text": "hello"}
    with second.services.stream.subscription([f"job:{job['id']}"], None) as reader:
        await agent.records(attempt, measurement(), line, measurement(in_place=True))
        found: dict[str, Any] = {}
        while not {"measurements", "log"} <= found.keys():  # the job is told beside, once or more
            message = await next_message(reader)
            found[message.type] = message.data
    assert [row["in_place"] for row in found["measurements"]["items"]] == [False, True]
    assert [line["text"] for line in found["log"]["items"]] == ["hello"]
    assert found["log"]["job_id"] == job["id"]


async def test_steps_reach_the_browsers_of_the_other_each_counted_once(pair: tuple[Server, Server]) -> None:
    first, second = pair
    agent = await first.node()
    job = await first.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    live = second.services.steps
    with second.services.stream.subscription([f"job:{job['id']}"], None):
        await agent.records(attempt, steps(), steps(rank=1))
        await agent.records(attempt, steps(first_step=3, count=2))
        counts: list[int] = []
        async with asyncio.timeout(DEADLINE_SECONDS):
            while counts != [5, 3]:
                await live.filled()
                (newest,) = live.take()
                counts = [item.steps for item in newest.items]
    url = f"/api/v1/jobs/{job['id']}/steps/newest"
    assert [item.model_dump(mode="json") for item in newest.items] == (await second.admin.get(url)).json()["items"]
    assert newest.attempt_id == attempt
    assert first.services.steps.take() == [], "nobody watches there"


async def test_an_agent_of_one_is_told_at_once_what_the_other_decides(pair: tuple[Server, Server]) -> None:
    first, second = pair
    agent = await first.node()
    told = asyncio.create_task(first_assignments(agent))
    job = await second.submit(**ONE_SIZE)
    await second.one_pass()
    async with asyncio.timeout(DEADLINE_SECONDS):
        assert [assignment["job_id"] for assignment in await told] == [job["id"]]


@pytest.mark.parametrize("polled", [0, 1])
async def test_what_a_server_committed_before_it_died_agents_hear_when_another_takes_over(
    pair: tuple[Server, Server], polled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying, heir = pair
    agent = await pair[polled].node()
    await dying.one_pass()
    told = asyncio.create_task(first_assignments(agent))
    job = await pair[polled].submit(**ONE_SIZE)

    def dies(*_: Any) -> None:
        raise ConnectionError("killed")

    with monkeypatch.context() as between_commit_and_notices, pytest.raises(ConnectionError):
        between_commit_and_notices.setattr(Queue, "note", dies)
        await dying.one_pass()
    await dying.services.lease.release()
    await heir.one_pass()
    async with asyncio.timeout(DEADLINE_SECONDS):
        assert [assignment["job_id"] for assignment in await told] == [job["id"]]


async def test_the_last_words_of_a_server_that_stops_are_sent(
    pair: tuple[Server, Server], tmp_path: Path, clock: Clock, postgresql_database: str
) -> None:
    stays = pair[0].services
    async with running_server(tmp_path, clock, database_url=postgresql_database) as stops:
        await listening(stays.database, servers=3)
        await stays.signals.wait_for_work(0)
        stops.services.notices.wake()
    async with asyncio.timeout(DEADLINE_SECONDS):
        await stays.signals.wait_for_work(10 * DEADLINE_SECONDS)


async def test_an_agent_that_changes_its_server_gets_everything_at_once(pair: tuple[Server, Server]) -> None:
    first, second = pair
    agent = await first.node()
    await first.submit(**ONE_SIZE)
    await first.one_pass()
    seen = (await agent.post("poll", {"seen": -1})).json()["revision"]
    moved = FakeAgent(second, agent.name, agent.slots, {}, epoch=agent.epoch)
    async with asyncio.timeout(DEADLINE_SECONDS):
        directives = (await moved.post("poll", {"seen": seen})).json()
    assert len(directives["assignments"]) == 1


async def test_the_scheduling_server_hears_of_work_that_the_other_took(pair: tuple[Server, Server]) -> None:
    first, second = pair
    await first.node()
    await first.services.signals.wait_for_work(0)
    await second.submit(**ONE_SIZE)
    async with asyncio.timeout(DEADLINE_SECONDS):
        await first.services.signals.wait_for_work(10 * DEADLINE_SECONDS)


async def test_a_reader_that_comes_from_the_other_server_is_told_to_start_over(pair: tuple[Server, Server]) -> None:
    first, second = pair
    first.services.stream.publish(("jobs",), "job", {})
    with first.services.stream.subscription(["jobs"], None) as reader:
        first.services.stream.publish(("jobs",), "job", {})
        last = first.services.stream.event_id(await anext(reader))
    stream = second.services.stream
    with stream.subscription(["jobs"], stream.number_of(last)) as reader:
        assert (await next_message(reader)).type == "reset"


async def test_a_server_that_heard_nothing_for_a_while_tells_its_readers_to_start_over(
    pair: tuple[Server, Server],
) -> None:
    first, second = pair
    with second.services.stream.subscription(["jobs"], None) as reader:
        async with first.services.database.read() as session:
            await session.execute(text(f"SELECT pg_terminate_backend(pid) {LISTENERS}"))
        assert (await next_message(reader)).type == "reset"
        await first.node()
        await listening(first.services.database)
        job = await first.submit(**ONE_SIZE)
        assert (await next_message(reader)).data["id"] == job["id"]


async def test_a_servers_own_notices_and_unknown_ones_change_nothing(server: Server) -> None:
    stream = server.services.stream
    with stream.subscription(["jobs"], None) as reader:
        own = Notice(server=server.services.instance, jobs=[1]).model_dump_json()
        for payload in (own, "{}", "no JSON"):
            await bus.hear(server.services, payload)
        stream.publish(("jobs",), "job", "next")
        assert (await next_message(reader)).data == "next"


def test_notices_fit_into_a_notification_and_name_everything_once() -> None:
    waiting, big = Notices(), 2**63 - 1000
    waiting.put(jobs=[1])
    assert waiting.take("closed") == []
    waiting.open()
    waiting.put(jobs=range(big, big + 250), nodes=[1, 2])
    waiting.put(nodes=[2, 3])
    for number in range(IDS_PER_NOTICE):
        waiting.put_rows(big, "measurements", [big + number, big + number + 1])
    waiting.put_rows(1, "log", [])
    notices = waiting.take("0123456789abcdef")
    assert max(len(notice.model_dump_json(exclude_defaults=True)) for notice in notices) < NOTIFY_BYTES
    assert sorted(job for notice in notices for job in notice.jobs) == list(range(big, big + 250))
    assert [node for notice in notices for node in notice.nodes] == [1, 2, 3]
    rows = [row for notice in notices for row in notice.rows]
    assert (len(rows), rows[0]) == (IDS_PER_NOTICE, Rows(big, "measurements", big, big + 1))
    assert waiting.take("0123456789abcdef") == []


async def next_message(reader: Subscriber) -> Message:
    async with asyncio.timeout(DEADLINE_SECONDS):
        return await anext(reader)


async def first_assignments(agent: FakeAgent) -> list[dict[str, Any]]:
    """Poll until there is one."""
    answer: dict[str, Any] = {"revision": -1, "assignments": None}
    while not answer["assignments"]:
        answer = (await agent.post("poll", {"seen": answer["revision"]})).json()
    found: list[dict[str, Any]] = answer["assignments"]
    return found


async def listening(database: Database, servers: int = 2) -> None:
    """Wait until this number of servers listen."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        while True:
            async with database.read() as session:
                if await session.scalar(text(f"SELECT count(*) {LISTENERS} AND state = 'idle'")) == servers:
                    return
            await asyncio.sleep(0.02)
