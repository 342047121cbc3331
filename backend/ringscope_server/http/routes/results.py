"""/jobs/{id}/…: measurements, report, steps, events."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, StreamingResponse

from ringscope.contracts.benchmark import MAX_MESSAGE_BYTES
from ringscope.contracts.findings import FieldError
from ringscope.judging.verdict import SizeRange
from ringscope_server.events.queries import of_target
from ringscope_server.events.views import EventPage
from ringscope_server.http.auth import Viewer
from ringscope_server.http.cursors import Cursor, Limit, decode, encode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import AttemptNumber, Id, attempt_asked_for, require_job, require_sweep
from ringscope_server.http.problems import Problem, invalid, not_found
from ringscope_server.http.streamed import streamed
from ringscope_server.imports import judgement
from ringscope_server.imports.preview import BandwidthJudgement
from ringscope_server.insights import activity, store
from ringscope_server.insights.activity import ActivityList
from ringscope_server.insights.checked import checked
from ringscope_server.insights.views import InsightList
from ringscope_server.jobs.queries import one, ranks_of
from ringscope_server.reports.contents import Contents
from ringscope_server.results import export, newest_steps, queries, range_verdict
from ringscope_server.results.range_verdict import RangeVerdict
from ringscope_server.results.step_rows import StepFilter
from ringscope_server.results.views import ArrivalPage, EnvironmentList, MeasurementPage, NewestSteps, StepPage

MAX_RANK = 2**31 - 1  # the largest integer of the databases

router = APIRouter(prefix="/jobs/{job_id}", tags=["results"])

Size = Annotated[int, Query(ge=0, le=MAX_MESSAGE_BYTES)]
Rank = Annotated[int | None, Query(ge=0, le=MAX_RANK, description="Only this rank.")]


@router.get("/measurements", operation_id="list_measurements")
async def list_measurements(
    job_id: Id,
    user: Viewer,
    services: ServicesDep,
    number: AttemptNumber = None,
    limit: Limit = 200,
    cursor: Cursor = None,
) -> MeasurementPage:
    """List the rows of the sweep's table in one attempt, in the order of measurement; also while it runs."""
    after = decode(cursor)
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        if attempt_id is None:
            items = await queries.imported_measurements(session, job_id, limit, after)
        else:
            items = await queries.measurements(session, attempt_id, limit, after)
    return MeasurementPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.get("/verdict", operation_id="get_verdict")
async def get_verdict(
    job_id: Id, user: Viewer, services: ServicesDep, min_bytes: Size = 0, max_bytes: Size = MAX_MESSAGE_BYTES
) -> RangeVerdict:
    """Compare the algorithms of a benchmark's newest attempt at the sizes from ``min_bytes`` to ``max_bytes``.

    The correction for many comparisons is that of the whole sweep, however few sizes are chosen.
    """
    if min_bytes > max_bytes:
        raise invalid([FieldError(pointer="/min_bytes", detail="min_bytes: it is above max_bytes; choose less.")])
    async with services.database.read() as session:
        await require_job(session, job_id)
        await require_sweep(session, job_id)
        attempt_id = await queries.attempt_of(session, job_id, None)
        return await range_verdict.of_attempt(session, job_id, attempt_id, SizeRange(min_bytes, max_bytes))


@router.get("/judgement", operation_id="get_judgement")
async def get_judgement(job_id: Id, user: Viewer, services: ServicesDep) -> BandwidthJudgement:
    """Say whether the bandwidth of a benchmark or an imported job is what was to be expected, and by what."""
    async with services.database.read() as session:
        await require_job(session, job_id)
        await require_sweep(session, job_id)
        found = await judgement.of_job(session, job_id)
    if found is None:
        raise Problem(409, "no_rows", f"Job {job_id} has no correct row yet that could be judged; try again later.")
    return found


@router.get("/report", operation_id="export_report", response_class=HTMLResponse)
async def export_report(job_id: Id, user: Viewer, services: ServicesDep) -> HTMLResponse:
    """Export what a benchmark or an imported job measured, and how it was judged, as one HTML file."""
    async with services.database.read() as session:
        await require_job(session, job_id)
        await require_sweep(session, job_id)
        job = await one(session, job_id)
        if job is None:
            raise not_found("job", job_id)
        contents = await Contents.read(session, job)
    page = await asyncio.to_thread(contents.page, services.now())
    headers = {"Content-Disposition": f'attachment; filename="ringscope-job-{job_id}-report.html"'}
    return HTMLResponse(page, headers=headers)


@router.get("/environment", operation_id="list_environments")
async def list_environments(job_id: Id, user: Viewer, services: ServicesDep) -> EnvironmentList:
    """Return the job's environment: versions, environment variables, nodes, and the binding of each rank."""
    async with services.database.read() as session:
        await require_job(session, job_id)
        return EnvironmentList(items=await queries.environments(session, job_id))


@router.get("/steps", operation_id="list_steps")
async def list_steps(
    job_id: Id,
    user: Viewer,
    services: ServicesDep,
    rank: Rank = None,
    algorithm: str | None = None,
    number: AttemptNumber = None,
    limit: Limit = 200,
    cursor: Cursor = None,
) -> StepPage:
    """List every single iteration of every rank in one attempt, with its exact times.

    If few of many steps match, a page may have fewer than ``limit``, or none: the last page has no ``next``.
    """
    after = decode(cursor)
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        items, key = await queries.steps(session, StepFilter(attempt_id, rank, algorithm), limit, after)
    return StepPage(items=items, next=None if key is None else encode(key))


@router.get("/steps/newest", operation_id="get_newest_steps")
async def get_newest_steps(job_id: Id, user: Viewer, services: ServicesDep) -> NewestSteps:
    """Return each rank's newest steps from the newest attempt's newest rows; the stream continues them while the job
    runs.
    """
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, None)
        return await newest_steps.newest(session, job_id, attempt_id, await ranks_of(session, job_id))


@router.get(
    "/steps/export",
    operation_id="export_steps",
    response_class=StreamingResponse,
    responses={200: {"content": {kind.partition(";")[0]: {} for kind in export.MEDIA_TYPES.values()}}},
)
async def export_steps(
    job_id: Id,
    user: Viewer,
    services: ServicesDep,
    format: export.Format = "csv",
    rank: Rank = None,
    algorithm: str | None = None,
    number: AttemptNumber = None,
) -> StreamingResponse:
    """Export every step of one attempt as a file; promtool fills openmetrics, without simulations, into Prometheus."""
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        ranks = await ranks_of(session, job_id)
    wanted = StepFilter(attempt_id, rank, algorithm)
    ending = "om" if format == "openmetrics" else format
    return await streamed(
        export.exported(services.database, format, wanted, job_id, ranks),
        media_type=export.MEDIA_TYPES[format],
        headers={"Content-Disposition": f'attachment; filename="ringscope-job-{job_id}-steps.{ending}"'},
    )


@router.get("/arrivals", operation_id="list_arrivals")
async def list_arrivals(
    job_id: Id,
    user: Viewer,
    services: ServicesDep,
    number: AttemptNumber = None,
    limit: Limit = 200,
    cursor: Cursor = None,
) -> ArrivalPage:
    """List the last arrival of each step in one attempt, how late it was, and the error of the nodes' clocks."""
    after = decode(cursor)
    async with services.database.read() as session:
        attempt_id = await attempt_asked_for(session, job_id, number)
        items = await queries.arrivals(session, attempt_id, limit, after)
    return ArrivalPage(items=items, next=next_cursor([item.step for item in items], limit))


@router.get("/insights", operation_id="list_insights")
async def list_insights(job_id: Id, user: Viewer, services: ServicesDep) -> InsightList:
    """List the problems that were found while the job ran, oldest first, with their evidence, and what was checked."""
    async with services.database.read() as session:
        await require_job(session, job_id)
        return InsightList(items=await store.of_job(session, job_id), checks=await checked(session, job_id))


@router.get("/activity", operation_id="list_activity")
async def list_activity(job_id: Id, user: Viewer, services: ServicesDep) -> ActivityList:
    """List what the ranks of the running attempt do now: what they load, or that they are at their steps, and since
    when.
    """
    async with services.database.read() as session:
        await require_job(session, job_id)
        return ActivityList(items=await activity.of_job(session, job_id))


@router.get("/events", operation_id="list_job_events")
async def list_job_events(
    job_id: Id, user: Viewer, services: ServicesDep, limit: Limit = 200, cursor: Cursor = None
) -> EventPage:
    """List every change of the job's state, with actor and reason."""
    after = decode(cursor)
    async with services.database.read() as session:
        await require_job(session, job_id)
        items = await of_target(session, "job", job_id, limit, after)
    return EventPage(items=items, next=next_cursor([item.id for item in items], limit))
