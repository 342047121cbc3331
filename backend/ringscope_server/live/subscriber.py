"""One reader of the live stream, and the messages that wait for it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime
from typing import Self

from ringscope_server.live.messages import Message, Messages, MessageType

# The most that is sent at once, so that only this much of a long queue is in the socket's buffer.
CHUNK_BYTES = 64 << 10


class Subscriber:
    """An async iterator over a bounded queue, in which a newer state replaces the older one of the same key.

    A heartbeat shows that the stream is open while nothing happens.
    """

    def __init__(
        self,
        topics: frozenset[str],
        position: int,
        empty: Callable[[MessageType, int], Message],
        heartbeat_seconds: float,
    ) -> None:
        self.topics = topics
        self.position = position  # everything up to this id that it may see was put here
        self.owner: int | None = None  # the token or session that opened it
        self.token_id: int | None = None  # the token itself, if that is a session
        self.ends_at: datetime | None = None  # when that expires
        self._empty = empty
        self._heartbeat_seconds = heartbeat_seconds
        self.queued = Messages()
        self._lost_up_to: int | None = None
        self._is_closed = False
        self._waiting = asyncio.Event()

    def take_in(self, messages: Iterable[Message]) -> int:
        """Queue the new messages of its topics; return the number of messages that had to be dropped."""
        dropped = 0
        for message in messages:
            if message.id > self.position:
                self.position = message.id
                if not message.topics.isdisjoint(self.topics):
                    dropped += self.put(message)
        return dropped

    def put(self, message: Message) -> int:
        """Queue a message; return the number of messages that had to be dropped."""
        self.queued.add(message)
        self._waiting.set()
        if not self.queued.is_over:
            return 0
        *dropped, newest = self.queued.take()
        self.queued.add(newest)
        if dropped:
            self._lost_up_to = dropped[-1].id
        return len(dropped)

    def close(self) -> None:
        """End the reader once it has read what is queued."""
        self._is_closed = True
        self._waiting.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield what to send: as much of the queue as goes at once."""
        async for message in self:
            frames, size_bytes = [message.frame], message.size_bytes
            while self.queued and size_bytes < CHUNK_BYTES:
                frames.append(self.queued.take_oldest().frame)
                size_bytes += len(frames[-1])
            yield b"".join(frames)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        """Return the oldest queued message; after an overflow a ``reset`` first, and a ``heartbeat`` if none comes."""
        while not self.queued:
            if self._is_closed:
                raise StopAsyncIteration
            self._waiting.clear()
            try:
                async with asyncio.timeout(self._heartbeat_seconds):
                    await self._waiting.wait()
            except TimeoutError:
                if not self.queued:  # else one came at this very moment, and its id must not be overtaken
                    return self._empty("heartbeat", self.position)
        if self._lost_up_to is not None:
            lost_up_to, self._lost_up_to = self._lost_up_to, None
            return self._empty("reset", lost_up_to)
        return self.queued.take_oldest()
