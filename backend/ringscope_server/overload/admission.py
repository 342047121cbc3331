"""Admission of requests. While the server gets enough processor time, all are served at once.

Where it does not, the event loop is late for all of its work, and a pass of the scheduler, whose hundred waits take a
round of the loop each, would never end. Then few requests are served at a time, and none begins while a background task
(a pass, a look at running jobs) is under way. The rest wait to be admitted, and are sent away after some seconds.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum

TICK_SECONDS = 0.1
LATE_SECONDS = 0.1  # a tick this late means that the loop is short of time
SHORT_SECONDS = 5.0  # after a late tick
MOST_AT_ONCE = 4  # requests while it is short
MOST_WHEN_RELIEVED = 32  # requests that have waited, once the loop has time again
SHUT_SECONDS = 4.0  # background tasks that take longer let one request in at a time
MOST_WAITING = 500
PATIENCE_SECONDS = 5.0  # less than agents wait for an answer


class Kind(IntEnum):
    """Kinds of requests; the lower number goes first."""

    SIGNS = 0  # what agents tell of ranks and attempts
    RECORDS = 1
    ASKED = 2  # by people and programs


_EVERY = 4  # one of this many admissions is for the requests that go last


class NotAdmittedError(Exception):
    """The server has no time for this request now."""


class Admitted:
    """A request that is served now."""

    def __init__(self, admission: "Admission") -> None:
        self._admission: Admission | None = admission

    def end(self) -> None:
        """Let the next request begin; the second time nothing happens.

        The request is answered, or it goes on under a limit of its own kind, at which it may wait for long.
        """
        admission, self._admission = self._admission, None
        if admission is not None:
            admission.end_one()


class Admission:
    """Admits the requests of one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._short_until = float("-inf")
        self._in_flight = 0
        self._tasks = 0
        self._shut_since = 0.0
        self._waiting: dict[Kind, deque[asyncio.Future[None]]] = {kind: deque() for kind in Kind}
        self._admitted = 0
        self.lag_seconds = 0.0  # lateness of the last tick

    async def measure(self) -> None:
        """Find out how late the loop is, until cancelled."""
        while True:
            began = self._clock()
            await asyncio.sleep(TICK_SECONDS)
            self.note_lag(self._clock() - began - TICK_SECONDS)

    def note_lag(self, seconds: float) -> None:
        """Note that a tick came so late."""
        self.lag_seconds = max(0.0, seconds)
        if seconds > LATE_SECONDS:
            self._short_until = self._clock() + SHORT_SECONDS
        self._admit_next()

    @property
    def is_short(self) -> bool:
        """Return whether the server gets too little processor time."""
        return self._clock() < self._short_until

    @contextmanager
    def background_task(self) -> Iterator[None]:
        """Run something that must run: while the server is short of time no request begins."""
        if not self._tasks:
            self._shut_since = self._clock()
        self._tasks += 1
        try:
            yield
        finally:
            self._tasks -= 1
            self._admit_next()

    async def admit(self, kind: Kind) -> Admitted:
        """Wait until a request may be served; what is returned must be ended. Raises NotAdmittedError."""
        if not any(self._waiting.values()) and (not self.is_short or self._has_room()):
            self._in_flight += 1
            return Admitted(self)
        if sum(map(len, self._waiting.values())) >= MOST_WAITING:
            raise NotAdmittedError
        place = asyncio.get_running_loop().create_future()
        self._waiting[kind].append(place)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await place
        except BaseException as error:
            if place.done() and not place.cancelled():
                self.end_one()
            elif place in self._waiting[kind]:
                self._waiting[kind].remove(place)
            if isinstance(error, TimeoutError):
                raise NotAdmittedError from error
            raise
        return Admitted(self)

    def end_one(self) -> None:
        """Serve one request less; ``Admitted.end`` calls it."""
        self._in_flight -= 1
        self._admit_next()

    def _has_room(self) -> bool:
        if not self.is_short:
            return self._in_flight < MOST_WHEN_RELIEVED
        if self._tasks:
            return self._in_flight == 0 and self._clock() > self._shut_since + SHUT_SECONDS
        return self._in_flight < MOST_AT_ONCE

    def _admit_next(self) -> None:
        while self._has_room() and (queue := self._next()) is not None:
            place = queue.popleft()
            if not place.done():
                self._in_flight += 1
                self._admitted += 1
                place.set_result(None)

    def _next(self) -> deque[asyncio.Future[None]] | None:
        order = [*Kind] if self._admitted % _EVERY else [*reversed(Kind)]
        return next((self._waiting[kind] for kind in order if self._waiting[kind]), None)
