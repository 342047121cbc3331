"""A lock with two queues: whoever comes ``first`` waits only for the one that holds it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_Queue = deque["asyncio.Future[None]"]


class PriorityLock:
    """A lock of one event loop with a queue that goes first. Within a queue the first to come is served first."""

    def __init__(self) -> None:
        self._is_held = False
        self._first: _Queue = deque()
        self._others: _Queue = deque()

    @asynccontextmanager
    async def held(self, *, first: bool = False) -> AsyncIterator[None]:
        """Hold the lock; with ``first`` get it before everybody who waits without."""
        await self._acquire(self._first if first else self._others)
        try:
            yield
        finally:
            self._hand_on()

    async def _acquire(self, queue: _Queue) -> None:
        if not self._is_held:
            self._is_held = True
            return
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._hand_on()  # it was handed on to us just now
            raise

    def _hand_on(self) -> None:
        """Hand the lock to the next task that still waits; the lock stays held meanwhile."""
        for queue in (self._first, self._others):
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._is_held = False
