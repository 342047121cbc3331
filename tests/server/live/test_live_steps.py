"""Steps on the live stream: as many messages as a screen can show, and nothing left out of them."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, FakeAgent, Server, steps

from ringscope.contracts.record import Steps
from ringscope_server.background import steps as telling
from ringscope_server.live.feed import publish_steps
from ringscope_server.live.messages import QUEUE, Message
from ringscope_server.live.steps import LiveSteps
from ringscope_server.live.stream import Stream
from ringscope_server.live.subscriber import Subscriber
from ringscope_server.results.newest_steps import MOST_RANKS
from ringscope_server.results.step_blocks import RECENT_STEPS, of_record


def told(**fields: Any) -> Any:
    count = fields.pop("count", 3)
    record = steps(fields.pop("rank", 0), fields.pop("first_step", 0), count) | fields
    return of_record(Steps.model_validate(record))


async def running(server: Server) -> tuple[FakeAgent, int, int]:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    return agent, job["id"], await agent.start_next()


async def of_steps(reader: Subscriber) -> Any:
    """The next message of steps that says something."""
    async with asyncio.timeout(20):
        while True:
            message = await anext(reader)
            if message.type == "steps" and message.data["newest"] is not None:
                return message.data["newest"]


def tell(server: Server) -> None:
    publish_steps(server.services.stream, server.services.steps.take())


async def test_a_step_reaches_who_watches_its_job_while_the_job_runs(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    with server.services.stream.subscription([f"job:{job_id}"], None) as reader:
        await agent.records(attempt, steps(rank=1), steps(rank=0))
        tell(server)
        newest = await of_steps(reader)
    assert (newest["job_id"], newest["attempt_id"], newest["ranks"]) == (job_id, attempt, 2)
    first, second = newest["items"]
    assert (first["rank"], second["rank"]) == (0, 1)
    assert (first["op"], first["algorithm"], first["transport"]) == ("all_reduce", "ring", "shared_memory")
    assert (first["bytes"], first["in_place"], first["steps"], first["last_step"]) == (1024, False, 3, 2)
    assert (first["last_us"], first["mean_us"], first["min_us"], first["max_us"]) == (12.0, 11.0, 10.0, 12.0)
    assert first["busbw_gb_per_s"] == pytest.approx(1024 / 11e3)
    assert first["recent_us"] == [10.0, 11.0, 12.0]
    assert first["started_at_ns"] == 1_767_225_600_000_000_002


async def test_however_many_batches_come_between_two_messages_all_are_in_the_next(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    with server.services.stream.subscription([f"job:{job_id}"], None) as reader:
        for number in range(20):
            await agent.records(attempt, steps(first_step=3 * number))
        tell(server)
        tell(server)  # nothing new
        await agent.records(attempt, steps(first_step=60))
        tell(server)
        found = [await of_steps(reader)]
    assert [(one["items"][0]["steps"], one["items"][0]["last_step"]) for one in found] == [(63, 62)]


async def test_messages_are_paced_and_the_last_one_is_always_told(server: Server) -> None:
    paces: list[float] = []
    goes_on = asyncio.Semaphore(0)

    async def pause(seconds: float) -> None:
        paces.append(seconds)
        await goes_on.acquire()

    loop = asyncio.create_task(telling.run(server.services, pause))
    agent, job_id, attempt = await running(server)
    with server.services.stream.subscription([f"job:{job_id}"], None) as reader:
        await agent.records(attempt, steps())
        assert (await of_steps(reader))["items"][0]["steps"] == 3, "the first one comes at once"
        await agent.records(attempt, steps(first_step=3))
        await agent.records(attempt, steps(first_step=6))
        goes_on.release()
        assert (await of_steps(reader))["items"][0]["steps"] == 9
    loop.cancel()
    assert set(paces) == {telling.PERIOD_SECONDS}


async def test_what_fails_once_ends_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    publish, failed = telling.publish_steps, asyncio.Event()

    def fails_once(*args: Any) -> None:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("a mistake")
        publish(*args)

    monkeypatch.setattr(telling, "publish_steps", fails_once)
    loop = asyncio.create_task(telling.run(server.services, lambda seconds: asyncio.sleep(0)))
    agent, job_id, attempt = await running(server)
    with server.services.stream.subscription([f"job:{job_id}"], None) as reader:
        await agent.records(attempt, steps())
        async with asyncio.timeout(20):
            await failed.wait()
        await agent.records(attempt, steps(first_step=3))
        assert (await of_steps(reader))["items"][0]["steps"] == 6
    loop.cancel()


async def test_what_comes_last_is_told_before_the_job_is_over_and_nothing_is_kept(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    with server.services.stream.subscription([f"job:{job_id}"], None) as reader:
        await agent.records(attempt, steps())
        await agent.report(attempt, "ended", reason="completed")
        await agent.report(attempt, "clean", last_sequence=agent.sequence)
        messages = []
        async with asyncio.timeout(20):
            while not messages or messages[-1].type != "job" or messages[-1].data["finished_at"] is None:
                messages.append(await anext(reader))
    assert [message.data["newest"]["items"][0]["steps"] for message in messages if message.type == "steps"] == [3]
    server.services.steps.forget_all_but([])
    assert server.services.steps.take() == []


async def test_nothing_is_counted_while_nobody_watches_and_who_resumes_is_told_to_ask(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    stream = server.services.stream
    with stream.subscription([f"job:{job_id}"], None) as reader:
        await agent.records(attempt, steps())
        tell(server)
        await of_steps(reader)
        stream.publish((f"job:{job_id}",), "log", "seen")
        while (seen := await anext(reader)).type != "log":
            pass
    await agent.records(attempt, steps(first_step=3))
    assert server.services.steps.take() == []
    with stream.subscription([f"job:{job_id}"], seen.id) as again:
        message = await anext(again)
        assert (message.type, message.data) == ("steps", {"job_id": job_id, "newest": None})
        await agent.records(attempt, steps(first_step=6))
        tell(server)
        (item,) = (await of_steps(again))["items"]
    assert (item["steps"], item["last_step"]) == (3, 8), "counted anew, and it says from where to where"


async def test_many_messages_of_steps_push_nothing_out_of_the_memory() -> None:
    stream = Stream()
    with stream.subscription(["job:1"], None) as reader:
        stream.publish(("job:1",), "log", "seen")
        seen = await anext(reader)
    stream.publish(("job:1",), "log", "missed")
    live = LiveSteps()
    for number in range(QUEUE + 1):
        live.note(1, 1, [told(first_step=3 * number)])
        publish_steps(stream, live.take())
    with stream.subscription(["job:1"], seen.id) as again:
        assert (await anext(again)).data == "missed"
        assert (await anext(again)).data["newest"]["items"][0]["steps"] == 3 * (QUEUE + 1)


def test_kinds_that_take_turns_are_each_counted_on_until_the_size_changes() -> None:
    live = LiveSteps()
    live.note(
        1, 1, [told(algorithm="ring"), told(algorithm="tree", first_step=3), told(algorithm="ring", first_step=6)]
    )
    (newest,) = live.take()
    assert [(item.algorithm, item.steps) for item in newest.items] == [("ring", 6)]
    live.note(1, 1, [told(bytes=2048, first_step=9), told(first_step=12)])
    (newest,) = live.take()
    assert [(item.bytes, item.steps) for item in newest.items] == [(1024, 3)]


def test_a_new_attempt_begins_anew_and_what_the_earlier_one_tells_late_is_passed_over() -> None:
    live = LiveSteps()
    live.note(1, 7, [told()])
    live.note(1, 8, [told(count=2)])
    live.note(1, 7, [told(first_step=3)])
    (newest,) = live.take()
    assert (newest.attempt_id, newest.items[0].steps) == (8, 2)


def test_what_is_heard_twice_is_counted_once() -> None:
    live = LiveSteps()
    live.note(1, 1, [told(), told()])
    assert live.take()[0].items[0].steps == 3


def test_of_many_ranks_the_slowest_are_told_and_of_many_steps_the_newest() -> None:
    live = LiveSteps()
    live.note(1, 1, [told(rank=rank, count=100, duration_us=[float(rank)] * 100) for rank in range(2 * MOST_RANKS)])
    (newest,) = live.take()
    assert newest.ranks == 2 * MOST_RANKS
    assert [item.rank for item in newest.items] == [*range(MOST_RANKS, 2 * MOST_RANKS)]
    assert {len(item.recent_us) for item in newest.items} == {RECENT_STEPS}


def test_training_steps_tell_their_loss_and_samples_and_no_bandwidth() -> None:
    live = LiveSteps()
    live.note(1, 1, [told(loss=[3.0, 2.0, 1.5], samples=[8, 8, 8], compute_us=[6.0, 7.0, 8.0])])
    live.note(1, 1, [told(first_step=3, loss=[1.0, 0.5, "NaN"], samples=[8, 8, 4], compute_us=[7.0] * 3)])
    (item,) = live.take()[0].items
    assert (item.loss, item.samples, item.compute_us, item.busbw_gb_per_s) == (None, 44, 7.0, None)


def test_waiting_for_samples_is_a_mean_and_the_newest_memory_counts() -> None:
    live = LiveSteps()
    live.note(1, 1, [told(input_us=[1.0, 2.0, 3.0], memory_bytes=7)])
    live.note(1, 1, [told(first_step=3, input_us=[4.0] * 3, memory_bytes=9)])
    (item,) = live.take()[0].items
    assert (item.input_us, item.memory_bytes) == (3.0, 9)
    live.note(1, 1, [told(first_step=6)])
    (item,) = live.take()[0].items
    assert (item.input_us, item.memory_bytes) == (None, 9)


async def test_who_comes_later_asks_for_the_newest(server: Server) -> None:
    agent, job_id, attempt = await running(server)
    url = f"/api/v1/jobs/{job_id}/steps/newest"
    assert (await server.admin.get(url)).json() == {"job_id": job_id, "attempt_id": attempt, "ranks": 0, "items": []}
    await agent.records(attempt, steps(), steps(rank=1), steps(first_step=3) | {"in_place": True})
    found = (await server.admin.get(url)).json()
    assert [(item["rank"], item["in_place"], item["last_step"]) for item in found["items"]] == [
        (0, True, 5),
        (1, False, 2),
    ]
    with server.services.stream.subscription([f"job:{job_id}"], None) as reader:
        await agent.records(attempt, steps(first_step=6) | {"in_place": True}, steps(rank=1, first_step=3))
        tell(server)
        newest = await of_steps(reader)
    later = (await server.admin.get(url)).json()
    assert [item["last_step"] for item in later["items"]] == [item["last_step"] for item in newest["items"]] == [8, 5]
    assert [item["steps"] for item in later["items"]] == [6, 6], "of the rows, whoever has listened"
    same = ("rank", "bytes", "last_us", "started_at_ns", "op", "in_place", "busbw_gb_per_s", "exposed_us")
    assert [[item[name] for name in same] for item in later["items"]] == [
        [item[name] for name in same] for item in newest["items"]
    ]
    assert (await server.admin.get("/api/v1/jobs/99/steps/newest")).status_code == 404


async def test_what_took_no_time_that_a_clock_could_tell_has_no_rate_and_is_no_record(server: Server) -> None:
    block = replace(told(), duration_us=5e-324)
    assert block.view().busbw_gb_per_s is None
    with pytest.raises(ValueError, match="Out of range float"):
        Message.of(1, "i", frozenset(), "steps", {"busbw_gb_per_s": float("inf")}, None)
    agent, job_id, attempt = await running(server)
    await agent.records(attempt, steps(count=1) | {"duration_us": [5e-324]}, steps(1, count=1))
    found = (await server.admin.get(f"/api/v1/jobs/{job_id}/steps")).json()["items"]
    assert [row["rank"] for row in found] == [1]
