"""A limit of how much runs at once, shared fairly: no key keeps others from their places, and few wait at all."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager


class BusyError(Exception):
    """Too many wait already.

    Args:
        is_own: it is whoever asks who has asked too much at once.
    """

    def __init__(self, *, is_own: bool) -> None:
        super().__init__(is_own)
        self.is_own = is_own


class ConcurrencyLimit:
    """A limit of how much runs at once in one event loop. Of the keys that wait, the one served longest ago is next.

    Args:
        most: at once, of all keys together.
        each: at once of one key; less than ``most``, so that one key leaves room for others.
        waiting: of all keys together; more are refused.
        waiting_each: of one key.
    """

    def __init__(self, most: int, each: int, waiting: int = 64, waiting_each: int = 8) -> None:
        self._most, self._each = most, each
        self._most_waiting, self._most_waiting_each = waiting, waiting_each
        self._taken: Counter[Hashable] = Counter()
        self._waiting: list[tuple[Hashable, asyncio.Future[None]]] = []
        self._served: dict[Hashable, int] = {}  # keys that have or want a place: when each was served last
        self._turn = 0

    @asynccontextmanager
    async def taken(self, key: Hashable, *, is_begun: bool = False) -> AsyncIterator[None]:
        """Have a place meanwhile, once there is one. Raises BusyError, but not to what ``is_begun``."""
        if not self._waiting_before(key) and self._may(key):
            self._serve(key)
        else:
            await self._wait(key, is_begun)
        try:
            yield
        finally:
            self._give_back(key)

    def _waiting_before(self, key: Hashable) -> bool:
        return any(other == key for other, _ in self._waiting)

    def _may(self, key: Hashable) -> bool:
        return self._taken.total() < self._most and self._taken[key] < self._each

    def _serve(self, key: Hashable) -> None:
        self._turn += 1
        self._served[key] = self._turn
        self._taken[key] += 1

    async def _wait(self, key: Hashable, is_begun: bool) -> None:
        own = sum(other == key for other, _ in self._waiting)
        is_full = own >= self._most_waiting_each or len(self._waiting) >= self._most_waiting
        if is_full and not is_begun:
            raise BusyError(is_own=own >= self._most_waiting_each)
        entry = key, asyncio.get_running_loop().create_future()
        self._waiting.append(entry)
        try:
            await entry[1]
        except asyncio.CancelledError:
            if entry in self._waiting:
                self._waiting.remove(entry)
            elif not entry[1].cancelled():
                self._give_back(key)  # it had been served in that very moment
            raise

    def _give_back(self, key: Hashable) -> None:
        self._taken[key] -= 1
        while ready := [entry for entry in self._waiting if self._may(entry[0])]:
            entry = min(ready, key=lambda one: self._served.get(one[0], 0))
            self._waiting.remove(entry)
            if not entry[1].done():
                self._serve(entry[0])
                entry[1].set_result(None)
        known = {one for one, count in self._taken.items() if count} | {one for one, _ in self._waiting}
        self._taken = Counter({one: count for one, count in self._taken.items() if count})
        self._served = {one: turn for one, turn in self._served.items() if one in known}
