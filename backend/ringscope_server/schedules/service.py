"""Schedules: make, change, remove, run now."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.environment import with_removed_from
from ringscope.contracts.findings import field_errors
from ringscope.contracts.job import JobSpec
from ringscope_server.db.models import Job, Schedule
from ringscope_server.db.names import flush_named
from ringscope_server.events import audit
from ringscope_server.jobs import service as jobs
from ringscope_server.schedules.times import upcoming
from ringscope_server.schedules.views import ScheduleBody, without_secrets
from ringscope_server.users import idempotency


async def page(session: AsyncSession, limit: int, before: int | None = None) -> Sequence[Schedule]:
    """Schedules newest first, those made before the one with the id ``before``."""
    query = select(Schedule).order_by(Schedule.id.desc()).limit(limit)
    if before is not None:
        query = query.where(Schedule.id < before)
    return (await session.scalars(query)).all()


async def create(session: AsyncSession, body: ScheduleBody, user: str, key: str | None, now: datetime) -> Schedule:
    """Make a schedule; the same ``key`` and body give the first one again. Raises NameTakenError and KeyReusedError."""
    body_sha256 = idempotency.fingerprint("create schedule", body)
    jobs.require_values(body.spec)
    if earlier := await idempotency.earlier(session, user, key, body_sha256):
        schedule = await session.get(Schedule, earlier.target_id)
        if schedule is None:  # made under this key, and removed since
            raise idempotency.KeyReusedError
        return schedule
    schedule = Schedule(
        **body.model_dump(mode="json"), user=user, created_at=now, next_fire_at=next_time(body, now), last_outcome=""
    )
    session.add(schedule)
    await flush_named(session, "schedule", body.name)
    idempotency.remember(session, user, key, body_sha256, "schedule", schedule.id, now)
    audit.record(session, now, user, "schedule.created", ("schedule", schedule.id), after=body.name)
    return schedule


async def replace(session: AsyncSession, schedule: Schedule, body: ScheduleBody, user: str, now: datetime) -> None:
    """Change a schedule. A time that is due and not yet fired stays, unless the times change. Raises NameTakenError."""
    wanted = body.model_dump(mode="json")
    if body.spec.env:  # values that were sent back as they were shown stay as they are
        wanted["spec"]["env"] = with_removed_from(body.spec.env, schedule.spec.get("env") or {})
        jobs.require_values(JobSpec.model_validate(wanted["spec"]))
    before = {name: getattr(schedule, name) for name in wanted}
    changed = [name for name, value in wanted.items() if before[name] != value]
    if not changed:
        return
    for name in changed:
        setattr(schedule, name, wanted[name])
    if {"cron", "timezone", "is_enabled"}.intersection(changed):
        schedule.next_fire_at = next_time(body, now)
    schedule.revision += 1
    await flush_named(session, "schedule", body.name)
    message = f"Changed: {', '.join(changed)}."
    audit.record_change(
        session, now, user, "schedule.changed", ("schedule", schedule.id), _shown(before), _shown(wanted), message
    )


def _shown(fields: dict[str, Any]) -> dict[str, Any]:
    return fields | {"spec": without_secrets(fields["spec"])}


async def delete(session: AsyncSession, schedule: Schedule, user: str, now: datetime) -> None:
    """Remove a schedule; its jobs stay."""
    await session.delete(schedule)
    audit.record(session, now, user, "schedule.deleted", ("schedule", schedule.id), before=schedule.name)


async def run_now(
    session: AsyncSession, schedule: Schedule, user: str, key: str | None, now: datetime, max_queued: int = 0
) -> tuple[Job, bool]:
    """Submit the schedule's job in addition to its times, whatever else of it runs; return the job and whether it is
    new.

    Raises what ``jobs.submit`` raises.
    """
    body_sha256 = idempotency.fingerprint(f"run schedule {schedule.id}")
    if earlier := await idempotency.earlier(session, user, key, body_sha256):
        return await session.get_one(Job, earlier.target_id), False
    job = await jobs.submit(
        session, spec_of(schedule), schedule.user, now, schedule_id=schedule.id, max_queued=max_queued
    )
    idempotency.remember(session, user, key, body_sha256, "job", job.id, now)
    schedule.last_job_id = job.id
    message = f"Job {job.id} was submitted."
    audit.record(session, now, user, "schedule.run", ("schedule", schedule.id), message=message)
    return job, True


def spec_of(schedule: Schedule) -> JobSpec:
    """Return the job that a schedule submits. Raises InvalidJobError if this version no longer accepts it."""
    try:
        return JobSpec.model_validate(schedule.spec)
    except ValidationError as error:
        raise jobs.InvalidJobError(field_errors(error)) from error


def next_time(schedule: Schedule | ScheduleBody, now: datetime) -> datetime | None:
    """Return the next time; None while it is disabled."""
    if not schedule.is_enabled:
        return None
    return next(upcoming(schedule.cron, schedule.timezone, now), None)
