"""/stream: one server-sent event stream per browser tab."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse

from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.services import Services
from ringscope_server.users.tokens import User

router = APIRouter(tags=["live"])

Topics = Annotated[str, Query(max_length=1000, description="Comma-separated: jobs, nodes, job:42 …")]
LastEventId = Annotated[str | None, Header(description="The browser sends it when it reconnects.")]

# No proxy is to keep it, nor nginx to hold it back.
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
# Says that the stream stands: what happens from here on will come.
_CONNECTED = b": connected\nretry: 2000\n\n"


class EventStream(StreamingResponse):
    """Server-sent events as bytes. FastAPI's own encodes each one for each reader, and passes it from task to task."""

    media_type = "text/event-stream"


@router.get("/stream", operation_id="stream", response_class=EventStream)
async def stream(
    user: Viewer, services: ServicesDep, topics: Topics = "jobs,nodes", last_event_id: LastEventId = None
) -> EventStream:
    """Changes as they happen.

    Events: ``job`` (JobView), ``measurements`` ({job_id, items}), ``log`` ({job_id, items}), ``node`` (NodeView), and
    ``reset`` ({}) when messages were missed: read everything again. ``heartbeat`` ({}) comes after ten seconds without
    another one: where not even that comes the connection is dead, whatever it looks like. On a job's own topic also
    ``steps`` ({job_id, newest: NewestSteps}), twice a second at most: what each rank is at, counted since somebody
    listens; ``newest`` is null where nobody did, and the job's newest steps are to be asked for. Ids only grow;
    Last-Event-ID resumes. The stream ends with the session or token that opened it.
    """
    return EventStream(_events(services, user, topics.split(","), last_event_id), headers=_HEADERS)


async def _events(
    services: Services, user: User, topics: Sequence[str], last_event_id: str | None
) -> AsyncIterator[bytes]:
    with services.stream.subscription(topics, services.stream.number_of(last_event_id)) as messages:
        messages.owner, messages.ends_at = user.own_id, user.expires_at
        yield _CONNECTED
        async for chunk in messages.chunks():
            yield chunk
