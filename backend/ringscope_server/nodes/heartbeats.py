"""Heartbeats: gathered in memory, and written together at most a second later."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import Table, bindparam, func, update

from ringscope.contracts.protocol import Poll
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Node
from ringscope_server.nodes.listening import Listening
from ringscope_server.steady_clock import seconds_since_boot

# An older agent's beat, or one that another server has overtaken, must not count.
_WRITE = (
    update(cast(Table, Node.__table__))
    .where(
        Node.id == bindparam("of_node"),
        Node.epoch == bindparam("of_epoch"),
        Node.last_heartbeat_at <= bindparam("beat_at", type_=Node.last_heartbeat_at.type),
    )
    .values(
        last_heartbeat_at=bindparam("beat_at", type_=Node.last_heartbeat_at.type),
        clock_offset_seconds=func.coalesce(bindparam("offset_seconds"), Node.clock_offset_seconds),
        clock_error_seconds=func.coalesce(bindparam("error_seconds"), Node.clock_error_seconds),
        load_average=func.coalesce(bindparam("load"), Node.load_average),
    )
)


@dataclass(frozen=True)
class Clock:
    """A node's clock minus the server's, and its largest possible error."""

    offset_seconds: float
    error_seconds: float

    @classmethod
    def told_by(cls, poll: Poll) -> "Clock | None":
        """Return the offset as measured by the agent; None if it has not measured it yet."""
        if poll.clock_offset_seconds is None or poll.clock_error_seconds is None:
            return None
        return cls(poll.clock_offset_seconds, poll.clock_error_seconds)


@dataclass(frozen=True)
class Beat:
    """The newest heartbeat of a node under one epoch."""

    time: datetime
    clock: Clock | None
    load_average: float | None


class Heartbeats:
    """The heartbeats that are not in the table yet, and for how long this process has listened for any."""

    def __init__(self, elapsed: Callable[[], float] = seconds_since_boot) -> None:
        self._waiting: dict[tuple[int, int], Beat] = {}
        self.listening = Listening(elapsed)
        self._writing = asyncio.Lock()

    def note(
        self,
        node_id: int,
        epoch: int,
        now: datetime,
        clock: Clock | None = None,
        load_average: float | None = None,
    ) -> None:
        """Note a heartbeat of a node, perhaps with its clock offset and its load."""
        if (earlier := self._waiting.get((node_id, epoch))) is not None:
            clock = clock or earlier.clock
            load_average = earlier.load_average if load_average is None else load_average
        self._waiting[node_id, epoch] = Beat(now, clock, load_average)

    async def flush(self, database: Database) -> None:
        """Write what waits, in one transaction; what cannot be written keeps waiting."""
        async with self._writing:
            written = dict(sorted(self._waiting.items()))
            if not written:
                return
            async with database.write(first=True) as session:
                await session.execute(_WRITE, [_row(*key, beat) for key, beat in written.items()])
            for key, beat in written.items():
                if self._waiting.get(key) is beat:
                    del self._waiting[key]

    def held_back(self) -> AbstractAsyncContextManager[None]:
        """Write none meanwhile: stored times may move, and older ones must not overtake them."""
        return self._writing

    def move(self, step: timedelta) -> None:
        """Move the waiting times, because the clock was set by this step."""
        if step:
            self._waiting = {key: replace(beat, time=beat.time + step) for key, beat in self._waiting.items()}


def _row(node_id: int, epoch: int, beat: Beat) -> dict[str, object]:
    return {
        "of_node": node_id,
        "of_epoch": epoch,
        "beat_at": beat.time,
        "offset_seconds": beat.clock and beat.clock.offset_seconds,
        "error_seconds": beat.clock and beat.clock.error_seconds,
        "load": beat.load_average,
    }
