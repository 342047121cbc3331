"""Messages go to many streams in rounds, so that no task waits for two thousand writes; none is lost or doubled."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ringscope_server.live.messages import QUEUE
from ringscope_server.live.rounds import AT_ONCE, MOST_SECONDS, SHARE
from ringscope_server.live.stream import Stream
from ringscope_server.live.subscriber import CHUNK_BYTES, Subscriber

READERS = 3 * AT_ONCE
DEADLINE_SECONDS = 30


class Turns:
    """A pause between the turns of a round that lasts until the test lets it end."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._goes_on = asyncio.Semaphore(0)
        self._begun = asyncio.Semaphore(0)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self._begun.release()
        await self._goes_on.acquire()

    async def next(self) -> None:
        """Return in the next pause."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            await self._begun.acquire()

    def go_on(self, turns: int = 1) -> None:
        for _ in range(turns):
            self._goes_on.release()


@contextmanager
def crowd(stream: Stream, count: int = READERS) -> Iterator[list[Subscriber]]:
    with ExitStack() as held:
        yield [held.enter_context(stream.subscription(["jobs"], None)) for _ in range(count)]


async def told(stream: Stream, reader: Subscriber, last: object) -> list[object]:
    """Return the data that a reader gets up to ``last``, and check that the ids only grow."""
    found, ids = list[object](), [0]
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not found or found[-1] != last:
            message = await anext(reader)
            if message.type != "heartbeat":
                ids.append(message.id)
                found.append(message.data)
    assert ids == sorted(set(ids))
    return found


async def test_few_readers_are_told_before_publishing_returns() -> None:
    stream = Stream()
    with crowd(stream, AT_ONCE) as readers:
        stream.publish(("jobs",), "job", "now")
        assert all(len(reader.queued) == 1 for reader in readers)


async def test_many_are_told_a_few_at_a_time_and_what_gathers_meanwhile_comes_in_the_next_round() -> None:
    turns = Turns()
    stream = Stream(pause=turns)
    with crowd(stream) as readers:
        stream.publish(("jobs",), "job", "first", key="job:1")
        stream.publish(("jobs",), "job", "second", key="job:1")
        assert not any(reader.queued for reader in readers)
        await turns.next()
        assert sum(len(reader.queued) for reader in readers) == AT_ONCE, "a newer state replaced the older one"
        stream.publish(("jobs",), "log", "third")
        turns.go_on(2 * READERS // AT_ONCE)
        for reader in readers:
            assert await told(stream, reader, "third") == ["second", "third"]
    assert 0 < max(turns.seconds) <= MOST_SECONDS * (1 / SHARE - 1)


async def test_who_comes_during_a_round_gets_what_follows_and_nothing_twice() -> None:
    turns = Turns()
    stream = Stream(pause=turns)
    with crowd(stream) as readers:
        before = readers[0].position
        stream.publish(("jobs",), "log", "a")
        await turns.next()
        stream.publish(("jobs",), "log", "b")
        with stream.subscription(["jobs"], None) as late, stream.subscription(["jobs"], before) as again:
            stream.publish(("jobs",), "log", "c")
            turns.go_on(4 * READERS // AT_ONCE)
            assert await told(stream, late, "c") == ["c"]
            assert await told(stream, again, "c") == ["a", "b", "c"]


async def test_who_resumes_from_a_heartbeat_during_a_round_misses_nothing() -> None:
    turns = Turns()
    stream = Stream(heartbeat_seconds=0.01, pause=turns)
    with crowd(stream) as readers:
        stream.publish(("jobs",), "log", "untold to most")
        await turns.next()
        waiting = next(reader for reader in readers if not reader.queued)
        beat = await anext(waiting)
        assert beat.type == "heartbeat"
        with stream.subscription(["jobs"], beat.id) as again:
            assert (await anext(again)).data == "untold to most"
        turns.go_on(READERS)


async def test_a_heartbeat_after_a_round_counts_what_nobody_listened_to_as_told() -> None:
    stream = Stream(heartbeat_seconds=0.01)
    with crowd(stream) as readers:
        stream.publish(("jobs",), "log", "all are told this")
        await told(stream, readers[0], "all are told this")
        for number in range(QUEUE + 1):
            stream.publish(("job:7",), "log", number)
        async with asyncio.timeout(DEADLINE_SECONDS):
            while (beat := await anext(readers[0])).id < stream._last_id:
                pass
    with stream.subscription(["jobs"], beat.id) as again:
        assert (await anext(again)).type == "heartbeat", "no reset"


async def test_more_than_is_kept_goes_to_all_in_order_before_the_round_is_over() -> None:
    turns = Turns()
    stream = Stream(pause=turns)
    with crowd(stream) as readers:
        stream.publish(("jobs",), "log", "first")
        await turns.next()
        for number in range(QUEUE + 1):
            stream.publish(("jobs",), "log", number)
        last = readers[-1]
        assert (await anext(last)).type == "reset", "its own queue is bounded as before"
        assert await told(stream, last, QUEUE) == [QUEUE - 1, QUEUE]
        assert stream.dropped_total == QUEUE * READERS
        turns.go_on(READERS)


async def test_starting_over_reaches_every_one_of_many_whatever_they_listen_to() -> None:
    stream = Stream()
    with crowd(stream) as readers, stream.subscription(["nodes"], None) as other:
        stream.start_over()
        async with asyncio.timeout(DEADLINE_SECONDS):
            assert {(await anext(reader)).type for reader in (*readers, other)} == {"reset"}


async def test_closing_hands_out_what_gathered() -> None:
    stream = Stream()
    with crowd(stream) as readers:
        stream.publish(("jobs",), "job", "last")
        stream.close()
        for reader in readers:
            assert [message.data async for message in reader] == ["last"]


async def test_what_is_queued_is_sent_as_one_chunk_but_no_more_than_fits() -> None:
    stream = Stream()
    with stream.subscription(["jobs"], None) as reader:
        stream.publish(("jobs",), "log", "a")
        stream.publish(("jobs",), "job", {"b": 1}, key="job:1")
        large = "x" * CHUNK_BYTES
        for _ in range(2):
            stream.publish(("jobs",), "log", large)
        stream.close()
        first, second = [chunk async for chunk in reader.chunks()]
    events = first.decode().split("\n\n")
    assert [event.split("\n")[:2] for event in events[:2]] == [
        ["event: log", 'data: "a"'],
        ["event: job", 'data: {"b":1}'],
    ]
    assert all(stream.number_of(event.split("id: ")[1]) for event in events[:-1])
    assert (first.count(b"event:"), second.count(b"event:")) == (3, 1)
