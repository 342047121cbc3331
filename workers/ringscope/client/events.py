"""The audit log: what happened, and who did it."""

from collections.abc import Iterator, Mapping

from ringscope.client.connection import Connection
from ringscope.client.views.events import Event, EventType


class EventRoutes(Connection):
    """/events. Filters are actor, action, target_type, target_id, since and until (ISO 8601)."""

    def events(self, filters: Mapping[str, str | None], limit: int | None = None) -> Iterator[Event]:
        """Yield events, newest first; pages are read on demand."""
        return map(Event.read, self._items("/events", filters, limit))

    def event_types(self) -> list[EventType]:
        """All types of events, which a webhook can receive."""
        return [EventType.read(item) for item in self._page("/events/types").items]

    def export_events(self, filters: Mapping[str, str | None], format: str) -> Iterator[str]:
        """Yield all matching events as text, in pieces; ``format`` is ndjson or csv."""
        return self._text("/events/export", {**filters, "format": format})
