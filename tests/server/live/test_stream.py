"""The live stream: fan-out, resume, reset."""

import asyncio

import pytest
from tests.server.conftest import ONE_SIZE, Server
from tests.server.statements import asked

from ringscope_server.db.models import Job
from ringscope_server.jobs import queries
from ringscope_server.jobs.views import JobView
from ringscope_server.live import feed
from ringscope_server.live.feed import publish_jobs, publish_new_job, publish_nodes
from ringscope_server.live.messages import QUEUE, QUEUE_BYTES
from ringscope_server.live.stream import FOREIGN, Stream


async def test_messages_reach_those_who_listen_once_each() -> None:
    stream = Stream()
    with stream.subscription(["jobs", "job:1"], None) as reader:
        stream.publish(("nodes",), "node", "n")
        stream.publish(("jobs", "job:1"), "job", "a")
        stream.publish(("job:1",), "log", "b")
        received = [await anext(reader), await anext(reader)]
    assert [message.data for message in received] == ["a", "b"]
    assert received[0].id < received[1].id
    assert stream.subscribers == 0


async def test_a_newer_state_replaces_an_unread_older_one() -> None:
    stream = Stream()
    with stream.subscription(["jobs"], None) as reader:
        for data in ("first", "second", "third"):
            stream.publish(("jobs",), "job", data, key="job:1")
        stream.publish(("jobs",), "job", "other", key="job:2")
        assert [(await anext(reader)).data for _ in range(2)] == ["third", "other"]


async def test_a_reader_resumes_after_the_last_message_it_saw() -> None:
    stream = Stream()
    with stream.subscription(["jobs"], None) as reader:
        for data in ("a", "b", "c"):
            stream.publish(("jobs",), "job", data)
        seen = await anext(reader)
    with stream.subscription(["jobs"], seen.id) as again:
        assert [(await anext(again)).data for _ in range(2)] == ["b", "c"]


@pytest.mark.parametrize("missed", ["too much", "the future", "what nobody heard"])
async def test_a_reader_that_missed_something_is_told_to_start_over(missed: str) -> None:
    stream = Stream()
    with stream.subscription(["jobs"], None) as reader:
        stream.publish(("jobs",), "job", 0)
        last_id = (await anext(reader)).id
    if missed == "too much":
        for number in range(QUEUE + 1):
            stream.publish(("jobs",), "job", number)
    elif missed == "the future":
        last_id += 10**9
    else:
        stream.publish_nothing()
    with stream.subscription(["jobs"], last_id) as again:
        assert (await anext(again)).type == "reset"


async def test_an_id_of_thousands_of_digits_is_none_of_this_stream() -> None:
    stream = Stream()
    with stream.subscription(["jobs"], None) as reader:
        stream.publish(("jobs",), "job", "a")
        instance = stream.event_id(await anext(reader)).partition("-")[2]
    assert stream.number_of(f"{'9' * 5000}-{instance}") == FOREIGN
    assert stream.number_of(f"12-{instance}") == 12


async def test_a_reader_may_resume_from_the_oldest_message_that_is_remembered() -> None:
    stream = Stream()
    stream.publish(("jobs",), "job", "oldest")
    with stream.subscription(["jobs"], None) as reader:
        stream.publish(("jobs",), "job", "seen")
        last_id = (await anext(reader)).id
    for number in range(QUEUE):
        stream.publish(("jobs",), "job", number)
    with stream.subscription(["jobs"], last_id) as again:
        assert (await anext(again)).data == 0


@pytest.mark.parametrize("last_id", ["12", "another-server", f"{10**13}-0123abcd", "-", ""])
async def test_an_id_that_this_stream_never_gave_starts_over(last_id: str) -> None:
    stream = Stream()
    with stream.subscription(["jobs"], stream.number_of(last_id)) as reader:
        assert (await anext(reader)).type == "reset"
    with stream.subscription(["jobs"], stream.number_of(None)) as reader:
        stream.publish(("jobs",), "job", "first")
        message = await anext(reader)
    assert message.data == "first"
    assert stream.number_of(stream.event_id(message)) == message.id


async def test_a_slow_reader_is_reset_and_counted_and_never_grows_without_bound() -> None:
    stream = Stream()
    with stream.subscription(["job:1"], None) as reader:
        for number in range(QUEUE + 5):
            stream.publish(("job:1",), "log", number)
        assert (await anext(reader)).type == "reset"
        assert stream.dropped_total == QUEUE
        assert (await anext(reader)).data == QUEUE


async def test_what_is_kept_for_readers_is_bounded_in_bytes_too() -> None:
    stream, large = Stream(), "x" * (QUEUE_BYTES // 4)
    with stream.subscription(["job:1"], None) as slow:
        for name in ("a", "b"):
            stream.publish(("job:1",), "log", name)
        seen = stream.number_of(stream.event_id(await anext(slow)))
        for _ in range(3):
            stream.publish(("job:1",), "log", large)
        with stream.subscription(["job:1"], seen) as again:
            assert (await anext(again)).data == "b"
        stream.publish(("job:1",), "log", large)
        assert stream.dropped_total == 4
        assert [(await anext(slow)).type for _ in range(2)] == ["reset", "log"]
        with stream.subscription(["job:1"], seen) as again:
            assert (await anext(again)).type == "reset"


async def test_states_take_the_place_of_their_older_ones_in_bytes_too() -> None:
    stream, large = Stream(), "x" * (QUEUE_BYTES // 2)
    stream.publish(("jobs",), "job", "seen")
    with stream.subscription(["jobs"], None) as reader:
        last_id = reader.position
        for number in range(10):
            stream.publish(("jobs",), "job", f"{number}{large}", key="job:1")
        assert (await anext(reader)).data[0] == "9"
    with stream.subscription(["jobs"], last_id) as again:
        assert (await anext(again)).data[0] == "9"
    assert stream.dropped_total == 0


async def test_a_message_larger_than_any_bound_reaches_those_who_listen() -> None:
    stream = Stream()
    with stream.subscription(["jobs"], None) as reader:
        for name in "ab":
            stream.publish(("jobs",), "job", name + "x" * QUEUE_BYTES)
            assert (await anext(reader)).data[0] == name
    assert stream.dropped_total == 0


async def test_many_jobs_are_told_with_as_many_queries_as_one(server: Server) -> None:
    await server.node()
    ids = [(await server.submit(**ONE_SIZE))["id"] for _ in range(3)]
    database, stream = server.services.database, server.services.stream
    counts = []
    with stream.subscription(["jobs"], None) as reader:
        for some in (ids, ids[:1], ids, [*ids, 4242]):
            with asked(database) as statements:
                await publish_jobs(database, stream, some)
            counts.append(len(statements))
        assert len(set(counts[1:])) == 1  # the first one may have had to connect
        assert [(await anext(reader)).data["id"] for _ in ids] == ids
        await publish_jobs(database, stream, range(QUEUE + 1))
        assert (await anext(reader)).type == "reset"


async def test_more_jobs_than_are_read_at_once_are_all_told_and_others_have_a_turn_in_between(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.node()
    jobs = [(await server.submit(**ONE_SIZE))["id"] for _ in range(5)]
    monkeypatch.setattr(feed, "JOBS_AT_ONCE", 2)
    stream = Stream()
    with stream.subscription(["jobs"], None) as reader:
        with asked(server.services.database) as statements:
            await publish_jobs(server.services.database, stream, jobs)
        told = [(await anext(reader)).data["id"] for _ in jobs]
    assert told == jobs
    assert sum("FROM jobs" in statement for statement in statements) == 3


async def test_many_nodes_are_told_with_as_many_queries_as_one(server: Server) -> None:
    for name in ("n3", "n1", "n2"):
        await server.node(name)
    ids = sorted(node["id"] for node in (await server.admin.get("/api/v1/nodes")).json()["items"])
    database, stream, now = server.services.database, server.services.stream, server.services.now()
    counts = []
    with stream.subscription(["nodes"], None) as reader:
        for some in (ids, ids[:1], ids):
            with asked(database) as statements:
                await publish_nodes(database, stream, some, now)
            counts.append(len(statements))
        assert len(set(counts[1:])) == 1  # the first one may have had to connect
        assert [(await anext(reader)).data["name"] for _ in ids] == ["n3", "n1", "n2"]
        await publish_nodes(database, stream, range(QUEUE + 1), now)
        assert (await anext(reader)).type == "reset"


async def test_a_heartbeat_says_that_a_quiet_stream_stands_and_who_resumes_from_it_misses_nothing() -> None:
    stream = Stream(heartbeat_seconds=0.01)
    with stream.subscription(["jobs"], None) as reader:
        beat = await anext(reader)
        assert (beat.type, beat.data) == ("heartbeat", {})
        assert (await anext(reader)).type == "heartbeat", "again and again"
    stream.publish(("jobs",), "job", "meanwhile")
    with stream.subscription(["jobs"], stream.number_of(stream.event_id(beat))) as again:
        assert (await anext(again)).data == "meanwhile"


async def test_closing_ends_every_reader() -> None:
    stream = Stream()
    with stream.subscription(["jobs"], None) as reader:
        stream.publish(("jobs",), "job", "last")
        stream.close()
        assert [message.data async for message in reader] == ["last"]


async def test_a_job_that_comes_while_nobody_listens_is_not_lost_to_who_resumes(server: Server) -> None:
    await server.node()
    stream = server.services.stream
    with stream.subscription(["jobs"], None) as reader:
        first = await server.submit(**ONE_SIZE)
        seen = await anext(reader)
        assert seen.data["id"] == first["id"]
    await server.submit(**ONE_SIZE)
    with stream.subscription(["jobs"], seen.id) as again:
        assert (await anext(again)).type == "reset"


async def test_what_a_submission_tells_late_does_not_undo_what_was_told_of_its_job_meanwhile(server: Server) -> None:
    await server.node()
    stream, database = server.services.stream, server.services.database
    with stream.subscription(["jobs"], None) as reader:
        job = await server.submit(**ONE_SIZE)
        async with database.read() as session:
            as_submitted = queries.view_of_new(await session.get_one(Job, job["id"]))
        assert JobView.model_validate((await anext(reader)).data) == as_submitted, "told once, and not read again"
        await server.one_pass()
        publish_new_job(stream, as_submitted)
        assert [(await anext(reader)).data["state"]] == ["starting"]
        stream.publish(("jobs",), "job", "next")
        assert (await anext(reader)).data == "next"


async def test_when_nothing_changed_while_nobody_listened_a_reader_resumes(server: Server) -> None:
    stream, database = Stream(), server.services.database
    with stream.subscription(["jobs"], None) as reader:
        stream.publish(("jobs",), "job", "first")
        seen = await anext(reader)
    stream.publish(("jobs",), "job", "missed")
    await publish_jobs(database, stream, [])
    await publish_nodes(database, stream, [], server.services.now())
    with stream.subscription(["jobs"], seen.id) as again:
        assert (await anext(again)).data == "missed"


# On PostgreSQL the stream starts over by itself once the server hears of others, at any time after its start.
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_who_reconnects_with_the_header_goes_on_where_it_was(server: Server) -> None:
    stream = server.services.stream
    with stream.subscription(["jobs"], None) as reader:
        for data in ("a", "b", "c"):
            stream.publish(("jobs",), "job", data)
        seen = stream.event_id(await anext(reader))
    headers: list[dict[str, str]] = [{"Last-Event-ID": seen}, {"Last-Event-ID": "7-another"}, {}]
    asked_for = [server.admin.get("/api/v1/stream?topics=jobs", headers=header) for header in headers]
    answers = [asyncio.create_task(asking) for asking in asked_for]
    async with asyncio.timeout(30):
        while stream.subscribers < len(answers):  # noqa: ASYNC110  # it tells nobody that it stands
            await asyncio.sleep(0.01)
        stream.close()
        texts = [answer.text for answer in await asyncio.gather(*answers)]
    told = [[line for line in text.splitlines() if line.startswith("data: ")] for text in texts]
    assert told == [['data: "b"', 'data: "c"'], ["data: {}"], []]
    assert "event: reset" in texts[1]
