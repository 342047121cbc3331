"""/jobs/{id}/…: measurements, steps, log, events."""

from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.http.auth import Viewer
from ringscope_server.http.pages import Cursor, Limit, decode, next_cursor
from ringscope_server.http.problems import not_found
from ringscope_server.http.services import ServicesDep
from ringscope_server.jobs.queries import exists
from ringscope_server.results import queries
from ringscope_server.results.views import EnvironmentList, EventPage, LogPage, MeasurementPage, StepPage

router = APIRouter(prefix="/jobs/{job_id}", tags=["results"])

Rank = Annotated[int | None, Query(ge=0, description="Only this rank.")]


@router.get("/measurements", operation_id="list_measurements")
async def list_measurements(
    job_id: int, user: Viewer, services: ServicesDep, limit: Limit = 200, cursor: Cursor = None
) -> MeasurementPage:
    """Rows of the sweep's table, in the order they were measured; also while it runs."""
    after = decode(cursor)
    async with services.database.read() as session:
        await _require_job(session, job_id)
        items = await queries.measurements(session, job_id, limit, after)
    return MeasurementPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.get("/environment", operation_id="list_environments")
async def list_environments(job_id: int, user: Viewer, services: ServicesDep) -> EnvironmentList:
    """What the job ran in: versions, environment variables, the nodes, and where each rank was bound."""
    async with services.database.read() as session:
        await _require_job(session, job_id)
        return EnvironmentList(items=await queries.environments(session, job_id))


@router.get("/steps", operation_id="list_steps")
async def list_steps(
    job_id: int,
    user: Viewer,
    services: ServicesDep,
    rank: Rank = None,
    algorithm: str | None = None,
    limit: Limit = 200,
    cursor: Cursor = None,
) -> StepPage:
    """Every single iteration of every rank, with its exact times."""
    after = decode(cursor)
    async with services.database.read() as session:
        await _require_job(session, job_id)
        items = await queries.steps(session, job_id, limit, after, rank, algorithm)
    return StepPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.get("/log", operation_id="list_log_lines")
async def list_log_lines(
    job_id: int,
    user: Viewer,
    services: ServicesDep,
    rank: Rank = None,
    limit: Limit = 200,
    cursor: Cursor = None,
) -> LogPage:
    """What the ranks, their launcher and the agents printed."""
    after = decode(cursor)
    async with services.database.read() as session:
        await _require_job(session, job_id)
        items = await queries.log_lines(session, job_id, limit, after, rank)
    return LogPage(items=items, next=next_cursor([item.id for item in items], limit))


@router.get("/events", operation_id="list_job_events")
async def list_job_events(
    job_id: int, user: Viewer, services: ServicesDep, limit: Limit = 200, cursor: Cursor = None
) -> EventPage:
    """Every change of the job's state, who made it and why."""
    after = decode(cursor)
    async with services.database.read() as session:
        await _require_job(session, job_id)
        items = await queries.events(session, "job", job_id, limit, after)
    return EventPage(items=items, next=next_cursor([item.id for item in items], limit))


async def _require_job(session: AsyncSession, job_id: int) -> None:
    if not await exists(session, job_id):
        raise not_found("job", job_id)
