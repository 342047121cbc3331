"""The live stream: fan-out, resume, reset."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from ringscope_server.events.stream import MEMORY, QUEUE, Message, Stream


async def started(stream: Stream, *topics: str, last_id: int | None = None) -> AsyncIterator[Message]:
    """A subscription that already listens (an async generator only starts when it is first asked)."""
    messages = stream.subscribe(topics, last_id)
    before = stream.subscribers
    first = asyncio.ensure_future(anext(messages))  # type: ignore[arg-type]
    while stream.subscribers == before:  # noqa: ASYNC110
        await asyncio.sleep(0)  # lets the subscription run; nothing waits for time to pass

    async def rest() -> AsyncIterator[Message]:
        yield await first
        async for message in messages:
            yield message

    return rest()


async def test_messages_reach_those_who_listen_once_each() -> None:
    stream = Stream()
    reader = await started(stream, "jobs", "job:1")
    stream.publish(("nodes",), "node", "n")
    stream.publish(("jobs", "job:1"), "job", "a")
    stream.publish(("job:1",), "log", "b")
    received = [await anext(reader), await anext(reader)]
    assert [message.data for message in received] == ["a", "b"]
    assert received[0].id < received[1].id


async def test_a_newer_state_replaces_an_unread_older_one() -> None:
    stream = Stream()
    reader = await started(stream, "jobs")
    for data in ("first", "second", "third"):
        stream.publish(("jobs",), "job", data, key="job:1")
    stream.publish(("jobs",), "job", "other", key="job:2")
    received = [(await anext(reader)).data for _ in range(2)]
    assert received == ["third", "other"]


async def test_a_reader_resumes_after_the_last_message_it_saw() -> None:
    stream = Stream()
    reader = await started(stream, "jobs")
    for data in ("a", "b", "c"):
        stream.publish(("jobs",), "job", data)
    seen = await anext(reader)
    again = stream.subscribe(["jobs"], seen.id)
    assert [(await anext(again)).data for _ in range(2)] == ["b", "c"]


@pytest.mark.parametrize("missed", ["too old", "of the future"])
async def test_a_reader_that_missed_too_much_is_told_to_start_over(missed: str) -> None:
    stream = Stream()
    reader = await started(stream, "jobs")
    stream.publish(("jobs",), "job", 0)
    first = await anext(reader)
    for number in range(MEMORY + 1):
        stream.publish(("jobs",), "job", number)
    last_id = first.id if missed == "too old" else first.id + 10**9
    assert (await anext(stream.subscribe(["jobs"], last_id))).type == "reset"


async def test_a_slow_reader_is_reset_and_counted_and_never_grows_without_bound() -> None:
    stream = Stream()
    reader = await started(stream, "job:1")
    stream.publish(("job:1",), "log", "first")
    await anext(reader)
    for number in range(QUEUE + 5):
        stream.publish(("job:1",), "log", number)
    assert (await anext(reader)).type == "reset"
    assert stream.dropped_total == QUEUE
    assert (await anext(reader)).data == QUEUE


async def test_closing_ends_every_reader() -> None:
    stream = Stream()
    reader = await started(stream, "jobs")
    stream.publish(("jobs",), "job", "last")
    stream.close()
    assert [message.data async for message in reader] == ["last"]
    assert stream.subscribers == 0
