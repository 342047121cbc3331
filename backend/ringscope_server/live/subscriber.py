"""One reader of the live stream, and what waits for it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime
from typing import Self

from ringscope_server.live.messages import Message, Messages, MessageType

# Sent at once at most, so that of a long queue only so much lies in the socket's buffer.
CHUNK_BYTES = 64 << 10


class Subscriber:
    """An async iterator over a bounded queue, in which a newer state replaces the older one of the same key.

    While nothing happens a heartbeat says that the stream stands.
    """

    def __init__(
        self,
        topics: frozenset[str],
        position: int,
        empty: Callable[[MessageType, int], Message],
        heartbeat_seconds: float,
    ) -> None:
        self.topics = topics
        self.position = position  # of what has an id up to this, all that it may see was put here
        self.owner: int | None = None  # the token or session that opened it
        self.token_id: int | None = None  # the token itself, where that is a session
        self.ends_at: datetime | None = None  # when that expires
        self._empty = empty
        self._heartbeat_seconds = heartbeat_seconds
        self.queued = Messages()
        self._lost_up_to: int | None = None
        self._is_closed = False
        self._waiting = asyncio.Event()

    def take_in(self, messages: Iterable[Message]) -> int:
        """Queue those of new messages that it listens to; gives the number of messages that had to be dropped."""
        dropped = 0
        for message in messages:
            if message.id > self.position:
                self.position = message.id
                if not message.topics.isdisjoint(self.topics):
                    dropped += self.put(message)
        return dropped

    def put(self, message: Message) -> int:
        """Queue a message; gives the number of messages that had to be dropped."""
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
        """Let the reader go once it has read what is queued."""
        self._is_closed = True
        self._waiting.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """What to send: as much of what is queued as goes at once."""
        async for message in self:
            frames, size_bytes = [message.frame], message.size_bytes
            while self.queued and size_bytes < CHUNK_BYTES:
                frames.append(self.queued.take_oldest().frame)
                size_bytes += len(frames[-1])
            yield b"".join(frames)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        """The oldest queued message; after an overflow a ``reset`` first, and a ``heartbeat`` where none comes."""
        while not self.queued:
            if self._is_closed:
                raise StopAsyncIteration
            self._waiting.clear()
            try:
                async with asyncio.timeout(self._heartbeat_seconds):
                    await self._waiting.wait()
            except TimeoutError:
                if not self.queued:  # else one came in that very moment, and its id is not to be overtaken
                    return self._empty("heartbeat", self.position)
        if self._lost_up_to is not None:
            lost_up_to, self._lost_up_to = self._lost_up_to, None
            return self._empty("reset", lost_up_to)
        return self.queued.take_oldest()
