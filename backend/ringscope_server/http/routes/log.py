"""/jobs/{id}/log: the output of the ranks, their launcher and the agents."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.regex import checked
from ringscope_server.http.admission import AdmittedDep
from ringscope_server.http.auth import Viewer
from ringscope_server.http.cursors import Cursor, Limit, decode, encode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import Id, require_job
from ringscope_server.http.streamed import streamed
from ringscope_server.instants import Instant, as_ns
from ringscope_server.overload.admission import Admitted
from ringscope_server.results import log
from ringscope_server.results.log import LINES_PER_PAGE, Level, LogFilter
from ringscope_server.results.views import LogOutline, LogPage
from ringscope_server.services import Services
from ringscope_server.users.tokens import User

router = APIRouter(prefix="/jobs/{job_id}/log", tags=["results"])

Rank = Annotated[int | None, Query(ge=0, lt=2**31, description="Only this rank.")]
Text = Annotated[str, Query(max_length=200, description="Only lines that contain each of these words, ignoring case.")]
Stream = Annotated[Literal["stdout", "stderr", "agent"] | None, Query(description="Only this stream.")]
AtLeast = Annotated[
    Level | None,
    Query(
        description="Only lines with words that indicate an error, such as ValueError or fatal; warning also includes"
        " warnings."
    ),
]
Pattern = Annotated[
    str,
    Query(
        max_length=200,
        description="Only lines that contain a match of this regular expression; (?i) in front ignores case. It has "
        "no back references, look-around or named groups, so that the time is linear in the log.",
    ),
    AfterValidator(checked),
]

At = Annotated[
    Instant | None,
    Query(description="Find the last line that was printed by this time, by the clock of the node that printed it."),
]


def _wanted(
    job_id: Id, rank: Rank = None, stream: Stream = None, level: AtLeast = None, q: Text = "", pattern: Pattern = ""
) -> LogFilter:
    return LogFilter(job_id, rank, stream, level, q, pattern)


Wanted = Annotated[LogFilter, Depends(_wanted)]


@router.get("", operation_id="list_log_lines")
async def list_log_lines(
    wanted: Wanted,
    user: Viewer,
    services: ServicesDep,
    admitted: AdmittedDep,
    at: At = None,
    limit: Limit = 200,
    cursor: Cursor = None,
) -> LogPage:
    """List the lines, oldest first; also while the job runs. With ``at`` and no cursor, begin at that line."""
    after = decode(cursor)
    sought = at if after is None else None
    async with _reading(services, user, admitted, is_scan=wanted.is_search or sought is not None) as session:
        await require_job(session, wanted.job_id)
        if sought is not None:
            ends, _, _ = await log.page_ends(session, wanted)
            place = await log.position_at(session, wanted, ends, as_ns(sought))
            after = place and place.after_id
        items = await log.lines(session, wanted, limit, after)
    return LogPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.get("/outline", operation_id="get_log_outline")
async def get_log_outline(
    wanted: Wanted, user: Viewer, services: ServicesDep, admitted: AdmittedDep, at: At = None
) -> LogOutline:
    """Return the number of lines and a cursor for each page of them: with limit lines_per_page any part can be read."""
    place = None
    async with _reading(services, user, admitted, is_scan=True) as session:
        await require_job(session, wanted.job_id)
        ends, lines, last_id = await log.page_ends(session, wanted)
        if at is not None:
            place = await log.position_at(session, wanted, ends, as_ns(at))
    cursors = [None, *(encode(line_id) for line_id in ends if line_id != last_id)]
    line_at = place and place.line
    return LogOutline(lines=lines, last_id=last_id, lines_per_page=LINES_PER_PAGE, cursors=cursors, line_at=line_at)


@router.get(
    "/export",
    operation_id="export_log",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/plain": {}}}},
)
async def export_log(wanted: Wanted, user: Viewer, services: ServicesDep, admitted: AdmittedDep) -> StreamingResponse:
    """Export the lines as a text file, each with its time and source."""
    read = partial(_reading, services, user, admitted, is_scan=wanted.is_search)
    async with read() as session:
        await require_job(session, wanted.job_id)
        last_id = await log.last_id(
            session, wanted
        )  # an error of the database about the pattern becomes an answer as well
    return await streamed(
        log.text(partial(read, is_begun=True), wanted, last_id),
        media_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="ringscope-job-{wanted.job_id}.log"'},
    )


@asynccontextmanager
async def _reading(
    services: Services, user: User, admitted: Admitted, *, is_scan: bool, is_begun: bool = False
) -> AsyncIterator[AsyncSession]:
    """Open a session; only a few at once for queries that may read every line of a job. What is begun is completed."""
    place: AbstractAsyncContextManager[None] = nullcontext()
    if is_scan:
        admitted.end()
        place = services.scans.taken(user.token_id, is_begun=is_begun)
    async with place, services.database.read() as session:
        yield session
