"""/schedules: jobs that are submitted repeatedly."""

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import AfterValidator
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.changes import Changes, announce
from ringscope_server.db.models import Schedule
from ringscope_server.http.auth import Operator, Viewer
from ringscope_server.http.cursors import Cursor, Limit, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.document import CREATED
from ringscope_server.http.etag import IfMatch, etag, require_match
from ringscope_server.http.idempotency import IdempotencyKey
from ringscope_server.http.lookups import Id
from ringscope_server.http.problems import Problem, invalid, not_found
from ringscope_server.jobs import queries
from ringscope_server.jobs.service import InvalidJobError, TooManyQueuedError
from ringscope_server.jobs.views import JobView
from ringscope_server.schedules import service
from ringscope_server.schedules.times import check_cron, check_timezone, upcoming
from ringscope_server.schedules.views import ScheduleBody, SchedulePage, ScheduleView, UpcomingTimes

router = APIRouter(prefix="/schedules", tags=["schedules"])

Count = Annotated[int, Query(ge=1, le=100, description="How many times.")]


@router.post("", status_code=201, responses=CREATED, operation_id="create_schedule")
async def create_schedule(
    body: ScheduleBody,
    user: Operator,
    services: ServicesDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> ScheduleView:
    """Submit a job at every time of a cron expression; the jobs are yours."""
    try:
        async with services.database.write() as session:
            schedule = await service.create(session, body, user.name, idempotency_key, services.now())
    except InvalidJobError as error:
        raise invalid(error.errors) from error
    response.headers["Location"] = f"/api/v1/schedules/{schedule.id}"
    return _answer(schedule, response)


@router.get("", operation_id="list_schedules")
async def list_schedules(user: Viewer, services: ServicesDep, limit: Limit = 50, cursor: Cursor = None) -> SchedulePage:
    """Schedules, newest first."""
    async with services.database.read() as session:
        items = await service.page(session, limit, decode(cursor))
    views = [ScheduleView.model_validate(schedule) for schedule in items]
    return SchedulePage(items=views, next=next_cursor([view.id for view in views], limit))


@router.get("/times", operation_id="list_cron_times")
async def list_cron_times(
    user: Viewer,
    services: ServicesDep,
    cron: Annotated[
        str,
        AfterValidator(check_cron),
        Query(max_length=200, description="Minute, hour, day of month, month, day of week, such as 30 2 * * MON-FRI."),
    ],
    timezone: Annotated[
        str,
        AfterValidator(check_timezone),
        Query(max_length=100, description="An IANA time zone, such as Europe/Berlin."),
    ] = "UTC",
    count: Count = 5,
) -> UpcomingTimes:
    """List the next times of a cron expression, before a schedule with it is made."""
    return UpcomingTimes(items=list(islice(upcoming(cron, timezone, services.now()), count)))


@router.get("/{schedule_id}", operation_id="get_schedule")
async def get_schedule(schedule_id: Id, user: Viewer, services: ServicesDep, response: Response) -> ScheduleView:
    """One schedule."""
    async with services.database.read() as session:
        return _answer(await _found(session, schedule_id), response)


@router.put("/{schedule_id}", operation_id="replace_schedule")
async def replace_schedule(
    schedule_id: Id,
    body: ScheduleBody,
    user: Operator,
    services: ServicesDep,
    response: Response,
    if_match: IfMatch = None,
) -> ScheduleView:
    """Change a schedule. Fields that are left out take their defaults."""
    try:
        async with services.database.write() as session:
            schedule = await _found(session, schedule_id, to_change=True)
            require_match(if_match, schedule.revision)
            await service.replace(session, schedule, body, user.name, services.now())
    except InvalidJobError as error:
        raise invalid(error.errors) from error
    return _answer(schedule, response)


@router.delete("/{schedule_id}", status_code=204, operation_id="delete_schedule")
async def delete_schedule(schedule_id: Id, user: Operator, services: ServicesDep, if_match: IfMatch = None) -> None:
    """Remove a schedule. Its jobs stay, even those that run."""
    async with services.database.write() as session:
        schedule = await _found(session, schedule_id, to_change=True)
        require_match(if_match, schedule.revision)
        await service.delete(session, schedule, user.name, services.now())


@router.post("/{schedule_id}/run", status_code=201, responses=CREATED, operation_id="run_schedule")
async def run_schedule(
    schedule_id: Id,
    user: Operator,
    services: ServicesDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> JobView:
    """Submit its job now, in addition to its times; also while it is disabled, and whatever its overlap is."""
    changes = Changes()
    try:
        async with services.database.write() as session:
            schedule = await _found(session, schedule_id, to_change=True)
            max_queued = services.settings.max_queued_jobs_per_user
            job, is_new = await service.run_now(
                session, schedule, user.name, idempotency_key, services.now(), max_queued
            )
            if is_new:
                changes.new(job)
    except InvalidJobError as error:
        raise invalid(error.errors) from error
    except TooManyQueuedError as error:
        raise Problem(409, "too_many_queued", str(error)) from error
    await announce(services, changes)
    response.headers["Location"] = f"/api/v1/jobs/{job.id}"
    async with services.database.read() as session:
        view = await queries.one(session, job.id)
    assert view is not None, "jobs are never removed"
    return view


@router.get("/{schedule_id}/upcoming", operation_id="list_upcoming_times")
async def list_upcoming_times(
    schedule_id: Id,
    user: Viewer,
    services: ServicesDep,
    count: Count = 5,
) -> UpcomingTimes:
    """List its next times; none while it is disabled."""
    async with services.database.read() as session:
        schedule = await _found(session, schedule_id)
    if not schedule.is_enabled:
        return UpcomingTimes(items=[])
    times = upcoming(schedule.cron, schedule.timezone, services.now())
    return UpcomingTimes(items=list(islice(times, count)))


async def _found(session: AsyncSession, schedule_id: int, *, to_change: bool = False) -> Schedule:
    schedule = await session.get(Schedule, schedule_id, with_for_update={"key_share": True} if to_change else None)
    if schedule is None:
        raise not_found("schedule", schedule_id)
    return schedule


def _answer(schedule: Schedule, response: Response) -> ScheduleView:
    response.headers["ETag"] = etag(schedule.revision)
    return ScheduleView.model_validate(schedule)
