"""/stream: one server-sent event stream per browser tab."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.rate_limit import limit_streams
from ringscope_server.live.subscriber import Subscriber
from ringscope_server.services import Services
from ringscope_server.users.tokens import User

router = APIRouter(tags=["live"])

Topics = Annotated[str, Query(max_length=1000, description="The topics, separated by commas: jobs, nodes, job:42 …")]
LastEventId = Annotated[
    str | None, Header(description="The id of the last event received; browsers send it when they reconnect.")
]

# No proxy may cache it, and nginx must not buffer it.
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
# This shows that the stream is open: events from here on will be sent.
_CONNECTED = b": connected\nretry: 2000\n\n"


class EventStream(StreamingResponse):
    """Server-sent events as bytes. FastAPI's class encodes each event for each reader and passes it between tasks."""

    media_type = "text/event-stream"


class Listening(EventStream):
    """The stream of one reader. FastAPI reads the signature of the class above, for the document."""

    def __init__(self, listening: AbstractContextManager[Subscriber]) -> None:
        super().__init__(self._chunks(), headers=_HEADERS)
        self._listening = listening

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events as long as the client reads them; an error at the beginning becomes the answer."""
        with self._listening as self._subscriber:
            await super().__call__(scope, receive, send)

    async def _chunks(self) -> AsyncIterator[bytes]:
        yield _CONNECTED
        async for chunk in self._subscriber.chunks():
            yield chunk


@router.get("/stream", operation_id="stream", response_class=EventStream)
async def stream(
    user: Viewer, services: ServicesDep, topics: Topics = "jobs,nodes", last_event_id: LastEventId = None
) -> EventStream:
    """Changes as they happen.

    Events: ``job`` (JobView), ``measurements`` ({job_id, items}), ``log`` ({job_id, items}), ``node`` (NodeView), and
    ``reset`` ({}) when messages were missed: read everything again. ``heartbeat`` ({}) comes after ten seconds without
    another event: if it does not come either, the connection is dead, whatever its state seems to be. ``late``
    ({sentence}) reports that the server is late with its own work, and null that it no longer is. A job's own topic
    also has ``steps`` ({job_id, newest: NewestSteps}), twice a second at most: each rank's newest steps, counted since
    the first listener; ``newest`` is null if there was none, and the job's newest steps must be requested. Ids only
    grow; Last-Event-ID resumes. The stream ends with the session or token that opened it; 429 says that one token has
    too many of them open.
    """
    return Listening(_listening(services, user, topics.split(","), last_event_id))


@contextmanager
def _listening(
    services: Services, user: User, topics: Sequence[str], last_event_id: str | None
) -> Iterator[Subscriber]:
    # No other task runs between the check of their number and the start of one more.
    limit_streams(services, user)
    with services.stream.subscription(topics, services.stream.number_of(last_event_id)) as subscriber:
        subscriber.owner, subscriber.token_id, subscriber.ends_at = user.own_id, user.token_id, user.expires_at
        yield subscriber
