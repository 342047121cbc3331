"""The live stream: messages to browsers, with ids that only grow and a short memory to resume from."""

import asyncio
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Self

MessageType = Literal[
    "job", "measurements", "steps", "log", "node", "insight_opened", "insight_closed", "reset", "heartbeat"
]
HEARTBEAT_SECONDS = 10.0  # half of the time after which a page no longer calls itself live
MEMORY, MEMORY_BYTES = 1_000, 8 << 20
QUEUE, QUEUE_BYTES = MEMORY, MEMORY_BYTES  # so that whatever is remembered can be replayed
FOREIGN = -1
_JOB = "job:"


@dataclass(frozen=True)
class Message:
    """One server-sent event. ``key`` names what it is the newest state of; None for additions such as log lines."""

    id: int
    topics: frozenset[str]
    type: MessageType
    text: str  # JSON, written once for all who listen, in ASCII
    key: str | None

    @property
    def size_bytes(self) -> int:
        """What it takes to keep."""
        return len(self.text)

    @property
    def data(self) -> Any:
        """What it says."""
        return json.loads(self.text)


class Stream:
    """Fan-out of messages to subscribers; a slow one is told to start over instead of slowing the rest."""

    def __init__(self, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> None:
        self._heartbeat_seconds = heartbeat_seconds
        # Ids go on growing over a restart, so that an id from before it is recognised as too old.
        self._last_id = time.time_ns() // 1_000_000
        # By key, or by id where there is none: a newer state replaces the older one here as well, so that what is told
        # often does not push out the rest.
        self._memory: OrderedDict[str | int, Message] = OrderedDict()
        self._memory_bytes = 0
        self._complete_from = self._last_id  # every message after this id is in the memory, or a newer state of its key
        # Other servers count as well, and know nothing of this one's messages.
        self._instance = secrets.token_hex(4)
        self._subscribers: set[Subscriber] = set()
        self.dropped_total = 0

    @property
    def subscribers(self) -> int:
        """How many streams are open."""
        return len(self._subscribers)

    @property
    def watched_jobs(self) -> set[int]:
        """The jobs to whose own topic somebody listens."""
        topics = {topic for subscriber in self._subscribers for topic in subscriber.topics}
        numbers = (topic.removeprefix(_JOB) for topic in topics if topic.startswith(_JOB))
        return {int(number) for number in numbers if number.isdecimal()}

    def publish(self, topics: Iterable[str], type: MessageType, data: Any, key: str | None = None) -> None:
        """Send, once, to everyone who listens to one of ``topics``."""
        self._last_id += 1
        message = Message(self._last_id, frozenset(topics), type, json.dumps(data, separators=(",", ":")), key)
        self._remember(message)
        for subscriber in self._subscribers:
            if message.topics & subscriber.topics:
                self.dropped_total += subscriber.put(message)

    def remembers(self, key: str) -> bool:
        """Whether the newest state of this is still known."""
        return key in self._memory

    def _remember(self, message: Message) -> None:
        place = message.id if message.key is None else message.key
        before = self._memory.pop(place, None)
        self._memory_bytes += message.size_bytes - (before.size_bytes if before else 0)
        self._memory[place] = message
        while len(self._memory) > MEMORY or self._memory_bytes > MEMORY_BYTES:
            _, oldest = self._memory.popitem(last=False)
            self._memory_bytes -= oldest.size_bytes
            self._complete_from = oldest.id

    def publish_nothing(self) -> None:
        """Something changed while nobody listened: who resumes from before now must start over."""
        self._last_id += 1
        self._memory.clear()
        self._memory_bytes = 0
        self._complete_from = self._last_id

    def start_over(self) -> None:
        """Messages may be missing: everybody reads everything again, those who listen and those who resume."""
        self.publish_nothing()
        for subscriber in self._subscribers:
            subscriber.put(self._empty("reset"))

    def event_id(self, message: Message) -> str:
        """The message's id for the reader, who hands the last one back: it only grows, and names this stream."""
        return f"{message.id}-{self._instance}"

    def number_of(self, event_id: str | None) -> int | None:
        """The id behind ``event_id``, None for none; FOREIGN, which is too old, where another server gave it."""
        if event_id is None:
            return None
        number, _, instance = event_id.partition("-")
        return int(number) if instance == self._instance and number.isdecimal() else FOREIGN

    @contextmanager
    def subscription(self, topics: Iterable[str], last_id: int | None) -> Iterator["Subscriber"]:
        """Listen to topics from now on; with ``last_id`` first to what came after it, or to a ``reset``."""
        subscriber = Subscriber(frozenset(topics), self._empty, self._heartbeat_seconds)
        if last_id is not None and not self._complete_from <= last_id <= self._last_id:
            subscriber.put(self._empty("reset"))
        elif last_id is not None:
            for message in self._memory.values():
                if message.id > last_id and message.topics & subscriber.topics:
                    subscriber.put(message)
        self._subscribers.add(subscriber)
        try:
            yield subscriber
        finally:
            self._subscribers.discard(subscriber)

    @property
    def owners(self) -> set[int]:
        """The tokens and sessions that opened the streams."""
        return {subscriber.owner for subscriber in self._subscribers if subscriber.owner is not None}

    def end(self, owners: set[int]) -> None:
        """End the streams that these tokens and sessions opened: they are worth nothing any more."""
        for subscriber in self._subscribers:
            if subscriber.owner in owners:
                subscriber.close()

    def end_over(self, now: datetime) -> None:
        """End the streams of tokens and sessions that have expired."""
        for subscriber in self._subscribers:
            if subscriber.ends_at is not None and subscriber.ends_at <= now:
                subscriber.close()

    def close(self) -> None:
        """End every open stream: the server stops."""
        for subscriber in self._subscribers:
            subscriber.close()

    def _empty(self, type: MessageType) -> Message:
        """What is about the stream itself; whoever resumes from it has missed nothing."""
        return Message(self._last_id, frozenset(), type, "{}", None)


class Subscriber:
    """An async iterator over a bounded queue, in which a newer state replaces the older one of the same key.

    While nothing happens a heartbeat says that the stream stands.
    """

    def __init__(
        self, topics: frozenset[str], empty: Callable[[MessageType], Message], heartbeat_seconds: float
    ) -> None:
        self.topics = topics
        self.owner: int | None = None  # the token or session that opened it
        self.ends_at: datetime | None = None  # when that expires
        self._empty = empty
        self._heartbeat_seconds = heartbeat_seconds
        self._messages: OrderedDict[object, Message] = OrderedDict()  # by key, where there is one
        self._queued_bytes = 0
        self._has_overflowed = False
        self._is_closed = False
        self._waiting = asyncio.Event()

    def put(self, message: Message) -> int:
        """Queue a message; gives the number of messages that had to be dropped."""
        place = object() if message.key is None else message.key
        before = self._messages.pop(place, None)
        self._queued_bytes -= before.size_bytes if before else 0
        dropped = 0
        if len(self._messages) >= QUEUE or self._queued_bytes + message.size_bytes > QUEUE_BYTES:
            dropped = len(self._messages)
            self._messages.clear()
            self._queued_bytes = 0
            self._has_overflowed = dropped > 0 or self._has_overflowed
        self._messages[place] = message
        self._queued_bytes += message.size_bytes
        self._waiting.set()
        return dropped

    def close(self) -> None:
        """Let the reader go once it has read what is queued."""
        self._is_closed = True
        self._waiting.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        """The oldest queued message; after an overflow a ``reset`` first, and a ``heartbeat`` where none comes."""
        while not self._messages:
            if self._is_closed:
                raise StopAsyncIteration
            self._waiting.clear()
            try:
                async with asyncio.timeout(self._heartbeat_seconds):
                    await self._waiting.wait()
            except TimeoutError:
                return self._empty("heartbeat")
        if self._has_overflowed:
            self._has_overflowed = False
            return self._empty("reset")
        _, message = self._messages.popitem(last=False)
        self._queued_bytes -= message.size_bytes
        return message
