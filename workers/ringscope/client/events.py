"""The audit log: what happened, and who did it."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from ringscope.client.connection import Connection
from ringscope.client.view import View


class Event(View):
    """An event, and its author."""

    id: int
    time: datetime
    actor: str
    action: str
    target_type: str
    target_id: str
    before: str | None
    after: str | None
    message: str


class EventRoutes(Connection):
    """/events. Filters are actor, action, target_type, target_id, since and until (ISO 8601)."""

    def events(self, filters: Mapping[str, str | None], limit: int | None = None) -> Iterator[Event]:
        """Yield events, newest first; pages are read on demand."""
        return map(Event.read, self._items("/events", filters, limit))

    def export_events(self, filters: Mapping[str, str | None], format: str) -> Iterator[str]:
        """Yield all matching events as text, in pieces; ``format`` is ndjson or csv."""
        return self._text("/events/export", {**filters, "format": format})
