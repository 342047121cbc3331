"""The event table, read for people."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db import keyset
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Event
from ringscope_server.events.views import EventView

EXPORT_ROWS = 1_000  # read at a time


@dataclass(frozen=True)
class EventFilter:
    """A filter of events; None lets all pass."""

    actor: str | None = None
    action: str | None = None  # job.cancelled, or job.* for all of jobs
    target_type: str | None = None
    target_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None  # this time itself is left out

    def of(self, query: Any) -> Any:
        """The query with these conditions."""
        exact = {Event.actor: self.actor, Event.target_type: self.target_type, Event.target_id: self.target_id}
        for column, value in exact.items():
            if value is not None:
                query = query.where(column == value)
        if self.action is not None and self.action.endswith("*"):
            query = query.where(Event.action.startswith(self.action[:-1], autoescape=True))
        elif self.action is not None:
            query = query.where(Event.action == self.action)
        if self.since is not None:
            query = query.where(Event.time >= self.since)
        if self.until is not None:
            query = query.where(Event.time < self.until)
        return query


async def of_target(
    session: AsyncSession, target_type: str, target_id: object, limit: int, after: int | None
) -> list[EventView]:
    """Return the events of one target."""
    query = select(Event).where(Event.target_type == target_type, Event.target_id == str(target_id))
    return _views(await session.scalars(keyset.after(query, Event, limit, after)))


async def page(session: AsyncSession, wanted: EventFilter, limit: int, before: int | None) -> list[EventView]:
    """Events, newest first, from below the id ``before`` on."""
    query = wanted.of(select(Event))
    if before is not None:
        query = query.where(Event.id < before)
    return _views(await session.scalars(query.order_by(Event.id.desc()).limit(limit)))


async def every(database: Database, wanted: EventFilter) -> AsyncIterator[list[EventView]]:
    """All events there are now, oldest first, in batches: none is held in memory, nor a transaction open, for long."""
    async with database.read() as session:
        last = await session.scalar(select(func.max(Event.id))) or 0
    after = 0
    while True:
        query = wanted.of(select(Event)).where(Event.id > after, Event.id <= last)
        async with database.read() as session:
            batch = _views(await session.scalars(query.order_by(Event.id).limit(EXPORT_ROWS)))
        if batch:
            yield batch
        if len(batch) < EXPORT_ROWS:
            return
        after = batch[-1].id


def _views(rows: Any) -> list[EventView]:
    return [EventView.model_validate(row, from_attributes=True) for row in rows]
