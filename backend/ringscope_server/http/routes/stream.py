"""/stream: one server-sent event stream per browser tab."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent

from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep

router = APIRouter(tags=["live"])

Topics = Annotated[str, Query(max_length=1000, description="Comma-separated: jobs, nodes, job:42 …")]
LastEventId = Annotated[str | None, Header(description="The browser sends it when it reconnects.")]


@router.get("/stream", operation_id="stream", response_class=EventSourceResponse)
async def stream(
    user: Viewer, services: ServicesDep, topics: Topics = "jobs,nodes", last_event_id: LastEventId = None
) -> AsyncIterator[ServerSentEvent]:
    """Changes as they happen.

    Events: ``job`` (JobView), ``measurements`` ({job_id, items}), ``log`` ({job_id, items}), ``node`` (NodeView), and
    ``reset`` ({}) when messages were missed: read everything again. ``heartbeat`` ({}) comes after ten seconds without
    another one: where not even that comes the connection is dead, whatever it looks like. On a job's own topic also
    ``steps`` ({job_id, newest: NewestSteps}), twice a second at most: what each rank is at, counted since somebody
    listens; ``newest`` is null where nobody did, and the job's newest steps are to be asked for. Ids only grow;
    Last-Event-ID resumes. The stream ends with the session or token that opened it.
    """
    with services.stream.subscription(topics.split(","), services.stream.number_of(last_event_id)) as messages:
        messages.owner, messages.ends_at = user.own_id, user.expires_at
        # Says that the stream stands: what happens from here on will come.
        yield ServerSentEvent(comment="connected", retry=2000)
        async for message in messages:
            yield ServerSentEvent(raw_data=message.text, event=message.type, id=services.stream.event_id(message))
