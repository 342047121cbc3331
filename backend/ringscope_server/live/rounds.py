"""Delivery of messages to the readers. Many readers get them in rounds, a few readers at a time.

One event loop serves everything: two thousand writes in a row would delay every request. Messages that come during a
round wait for the next one, so the pause between two writes of one stream grows with the number of streams.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable

from ringscope_server.live.messages import Message, Messages
from ringscope_server.live.subscriber import Subscriber

AT_ONCE = 20  # readers; if there are no more, all get the message at once
SHARE = 0.25  # share of the loop's time that a round takes
MOST_SECONDS = (
    0.02  # seconds that count at most as the cost of one turn, because other work keeps the loop busy as well
)

Pause = Callable[[float], Awaitable[None]]


class Rounds:
    """Delivers each message to all readers, in order; tests pass another pause."""

    def __init__(self, readers: Collection[Subscriber], pause: Pause = asyncio.sleep) -> None:
        self._readers = readers
        self._pause = pause
        self._gathered = Messages()
        self._batch: list[Message] = []  # the message of this round
        self._left: deque[Subscriber] = deque()  # readers that have not had it
        self._round: asyncio.Task[None] | None = None
        self.dropped_total = 0

    @property
    def is_idle(self) -> bool:
        """Return whether every reader has got everything."""
        return not self._left and not self._gathered

    def add(self, message: Message) -> None:
        """Deliver a message, at once or in the next round."""
        if self._round is None and len(self._readers) <= AT_ONCE:
            self._hand([message], self._readers)
            return
        self._gathered.add(message)
        if self._gathered.is_over:
            self.finish()
        if self._round is None:
            self._round = asyncio.create_task(self._go_round())

    def finish(self) -> None:
        """Deliver everything to every reader now."""
        self._hand(self._batch, self._left)
        self._left.clear()
        self._hand(self._gathered.take(), self._readers)

    async def _go_round(self) -> None:
        try:
            while self._gathered:
                self._batch, self._left = self._gathered.take(), deque(self._readers)
                while self._left:
                    began = time.perf_counter()
                    self._hand(self._batch, [self._left.popleft() for _ in range(min(AT_ONCE, len(self._left)))])
                    await _written()
                    seconds = min(time.perf_counter() - began, MOST_SECONDS)
                    await self._pause(seconds / SHARE - seconds)
        finally:
            self._round, self._batch = None, []

    def _hand(self, messages: Collection[Message], readers: Iterable[Subscriber]) -> None:
        for reader in readers:
            self.dropped_total += reader.take_in(messages)


async def _written() -> None:
    """Return when the woken readers have written: they do so in one turn of the loop, and it sends in the next."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
