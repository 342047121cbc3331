"""The live stream: messages to browsers, with ids that only grow and a short memory to resume from."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any, Literal

MessageType = Literal["job", "measurements", "log", "node", "reset"]
MEMORY = 2_000
QUEUE = 1_000


@dataclass(frozen=True)
class Message:
    """One server-sent event. ``key`` names what it is the newest state of; None for additions such as log lines."""

    id: int
    topics: frozenset[str]
    type: MessageType
    data: Any
    key: str | None


class Stream:
    """Fan-out of messages to subscribers; a slow one is told to start over instead of slowing the rest."""

    def __init__(self) -> None:
        # Ids go on growing over a restart, so that an id from before it is recognised as too old.
        self._last_id = time.time_ns() // 1_000_000
        self._memory: deque[Message] = deque(maxlen=MEMORY)
        self._first_id = self._last_id
        self._subscribers: set[_Subscriber] = set()
        self.dropped_total = 0

    @property
    def subscribers(self) -> int:
        """How many streams are open."""
        return len(self._subscribers)

    def publish(self, topics: Iterable[str], type: MessageType, data: Any, key: str | None = None) -> None:
        """Send, once, to everyone who listens to one of ``topics``."""
        self._last_id += 1
        message = Message(self._last_id, frozenset(topics), type, data, key)
        if len(self._memory) == MEMORY:
            self._first_id = self._memory[0].id
        self._memory.append(message)
        for subscriber in self._subscribers:
            if message.topics & subscriber.topics:
                self.dropped_total += subscriber.put(message)

    async def subscribe(self, topics: Iterable[str], last_id: int | None) -> AsyncIterator[Message]:
        """Messages of these topics after ``last_id``; first a ``reset`` when that is too long ago."""
        subscriber = _Subscriber(frozenset(topics))
        if last_id is not None:
            if last_id < self._first_id or last_id > self._last_id:
                subscriber.put(self._reset())
            else:
                for message in self._memory:
                    if message.id > last_id and message.topics & subscriber.topics:
                        subscriber.put(message)
        self._subscribers.add(subscriber)
        try:
            while True:
                if subscriber.overflowed:
                    subscriber.overflowed = False
                    yield self._reset()
                    continue
                newest = await subscriber.get()
                if newest is None:
                    return
                yield newest
        finally:
            self._subscribers.discard(subscriber)

    def close(self) -> None:
        """End every open stream: the server stops."""
        for subscriber in self._subscribers:
            subscriber.close()

    def _reset(self) -> Message:
        return Message(self._last_id, frozenset(), "reset", {}, None)


class _Subscriber:
    """A bounded queue in which a newer state replaces the older one of the same key."""

    def __init__(self, topics: frozenset[str]) -> None:
        self.topics = topics
        self.overflowed = False
        self._is_closed = False
        self._messages: deque[Message] = deque()
        self._waiting = asyncio.Event()

    def put(self, message: Message) -> int:
        """Queue a message; gives the number of messages that had to be dropped."""
        if message.key is not None:
            self._messages = deque(m for m in self._messages if m.key != message.key)
        dropped = 0
        if len(self._messages) >= QUEUE:
            dropped = len(self._messages)
            self._messages.clear()
            self.overflowed = True
        self._messages.append(message)
        self._waiting.set()
        return dropped

    async def get(self) -> Message | None:
        """The oldest queued message; None once the stream is closed."""
        while not self._messages:
            if self._is_closed:
                return None
            self._waiting.clear()
            await self._waiting.wait()
        return self._messages.popleft()

    def close(self) -> None:
        """Let the reader go once it has read what is queued."""
        self._is_closed = True
        self._waiting.set()
