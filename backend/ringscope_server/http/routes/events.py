"""/events: the audit log."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from ringscope_server.events import queries
from ringscope_server.events.queries import EventFilter
from ringscope_server.events.types import WORDS
from ringscope_server.events.views import EventPage, EventType, EventTypes, EventView
from ringscope_server.http.auth import Admin, Viewer
from ringscope_server.http.cursors import Cursor, Limit, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.instants import Instant
from ringscope_server.results import row_files
from ringscope_server.services import Services

router = APIRouter(prefix="/events", tags=["events"])

EVENT_COLUMNS = tuple(EventView.model_fields)

Word = Annotated[str | None, Query(max_length=200)]
Action = Annotated[
    str | None, Query(max_length=200, description="An action such as job.cancelled, or job.* for all actions of jobs.")
]
Since = Annotated[Instant | None, Query(description="The earliest time.")]
Until = Annotated[Instant | None, Query(description="The time before which events happened.")]


def wanted_events(
    actor: Word = None,
    action: Action = None,
    target_type: Word = None,
    target_id: Word = None,
    since: Since = None,
    until: Until = None,
) -> EventFilter:
    """Return the filter in the query."""
    return EventFilter(actor, action, target_type, target_id, since, until)


Wanted = Annotated[EventFilter, Depends(wanted_events)]


@router.get("", operation_id="list_events")
async def list_events(
    user: Viewer, services: ServicesDep, wanted: Wanted, limit: Limit = 50, cursor: Cursor = None
) -> EventPage:
    """List the events of all objects with their actors, newest first."""
    before = decode(cursor)
    async with services.database.read() as session:
        items = await queries.page(session, wanted, limit, before)
    return EventPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.get("/types", operation_id="list_event_types")
async def list_event_types(user: Viewer) -> EventTypes:
    """List the types of events, which a webhook can receive, with their meanings."""
    return EventTypes(
        items=[
            EventType(type=f"{noun}.{word}", meaning=meaning)
            for noun, meanings in WORDS.items()
            for word, meaning in meanings.items()
        ]
    )


@router.get(
    "/export",
    operation_id="export_events",
    response_class=StreamingResponse,
    responses={200: {"content": {kind.partition(";")[0]: {} for kind in row_files.MEDIA_TYPES.values()}}},
)
async def export_events(
    user: Admin, services: ServicesDep, wanted: Wanted, format: row_files.Format = "ndjson"
) -> StreamingResponse:
    """Export every event that matches, oldest first, as a file. In CSV an apostrophe precedes what begins a formula."""
    disposition = {"Content-Disposition": f'attachment; filename="ringscope-events.{format}"'}
    return StreamingResponse(
        _written(services, wanted, format), media_type=row_files.MEDIA_TYPES[format], headers=disposition
    )


async def _written(services: Services, wanted: EventFilter, format: row_files.Format) -> AsyncIterator[str]:
    yield row_files.header(format, EVENT_COLUMNS)
    async for batch in queries.every(services.database, wanted):
        rows = [list(event.model_dump(mode="json").values()) for event in batch]
        yield row_files.lines(format, EVENT_COLUMNS, rows)
