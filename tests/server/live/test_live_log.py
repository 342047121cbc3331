"""Lines of output: many in one batch, and on the live stream."""

from typing import Any

import pytest
from sqlalchemy import select
from tests.server.conftest import ONE_SIZE, Server, steps

from ringscope_server.db.bulk import ROWS_AT_ONCE
from ringscope_server.db.models import LogLine, Step
from ringscope_server.live.feed import publish_log
from ringscope_server.live.stream import Stream, Subscriber


def line(number: int) -> dict[str, Any]:
    return {"type": "log", "rank": 0, "stream": "stdout", "time_ns": number, "text": f"line {number}"}


async def next_of(reader: Subscriber, *types: str) -> Any:
    while (message := await anext(reader)).type not in types:
        pass
    return message


@pytest.mark.both_databases
@pytest.mark.parametrize("count", [1, ROWS_AT_ONCE, 2 * ROWS_AT_ONCE + 7])
async def test_however_many_rows_a_batch_brings_each_is_stored_once_and_in_order(server: Server, count: int) -> None:
    agent = await server.node()
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, *map(line, range(count)), steps(count=count))
    async with server.services.database.read() as session:
        lines = (await session.execute(select(LogLine.time_ns, LogLine.text).order_by(LogLine.id))).all()
        numbers = (await session.scalars(select(Step.step).order_by(Step.id))).all()
    assert [(told.time_ns, told.text) for told in lines] == [(number, f"line {number}") for number in range(count)]
    assert [*numbers] == [*range(count)]


@pytest.mark.both_databases
async def test_who_watches_a_job_gets_its_lines_as_the_log_has_them(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    with server.services.stream.subscription([f"job:{job['id']}"], None) as reader:
        await agent.records(attempt, line(1), line(2))
        await agent.records(attempt, line(3))
        told = [item for _ in range(2) for item in (await next_of(reader, "log")).data["items"]]
    stored = (await server.admin.get(f"/api/v1/jobs/{job['id']}/log")).json()["items"]
    assert [one | {"number": None} for one in stored] == told
    assert [one["text"] for one in told] == ["line 1", "line 2", "line 3"]


async def test_lines_of_a_job_that_nobody_watches_are_not_told_and_who_resumes_starts_over(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    stream, topics = server.services.stream, [f"job:{job['id']}"]
    with stream.subscription(topics, None) as reader:
        await agent.records(attempt, line(1))
        seen = await next_of(reader, "log")
    for number in range(2, 5):
        await agent.records(attempt, line(number))
    with stream.subscription(topics, seen.id) as again:
        assert (await next_of(again, "log", "reset")).type == "reset"
        await agent.records(attempt, line(5))
        assert [one["text"] for one in (await next_of(again, "log", "reset")).data["items"]] == ["line 5"], "once"


async def test_lines_of_a_job_that_nobody_watches_disturb_no_other_reader() -> None:
    stream = Stream()
    with stream.subscription(["jobs", "job:2"], None) as reader:
        publish_log(stream, 1, ())
        stream.publish(["jobs"], "job", "next")
        assert (await anext(reader)).data == "next"
