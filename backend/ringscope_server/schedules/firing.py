"""The firing of due schedules, checked in every pass of the scheduler's loop.

The server that moves ``next_fire_at`` past a time fires it, in the transaction that submits the job; a constraint of
the table also allows only one job for a schedule and a time.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.job_states import TERMINAL
from ringscope_server.attempts import cancelling
from ringscope_server.changes import Changes
from ringscope_server.db.faults import is_passing
from ringscope_server.db.models import Job, Schedule
from ringscope_server.events import audit
from ringscope_server.jobs import queries
from ringscope_server.jobs import service as jobs
from ringscope_server.schedules.service import next_time, spec_of
from ringscope_server.schedules.times import upcoming

# After downtime the newest time that was missed is made up for, if it is younger than this.
LATE_AFTER = timedelta(hours=1)
AT_ONCE = 25  # schedules in one transaction: PostgreSQL ends one that lasts for 10 s

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one time: the event's action, a sentence, and the job if there is one."""

    action: str
    sentence: str
    job_id: int | None = None


async def fire_due(session: AsyncSession, changes: Changes, now: datetime, max_queued: int = 0) -> None:
    """Submit the jobs of due schedules, once for each of their times; the next pass continues.

    ``max_queued`` jobs of a user may wait; 0 means any number.
    """
    due = await session.scalars(
        select(Schedule)
        .where(Schedule.next_fire_at <= now)
        .order_by(Schedule.next_fire_at, Schedule.id)
        .limit(AT_ONCE)
        .with_for_update(key_share=True, skip_locked=True)
    )
    for schedule in due.all():
        first = schedule.next_fire_at
        assert first is not None, "the query asked for it"
        time = newest_due(schedule.cron, schedule.timezone, first, now)
        outcome = MISSED if time is None else await _try(session, schedule, time, changes, now, max_queued)
        missed = "" if time == first else f" Times from {_clock(first)} on were missed: no server was running."
        schedule.last_fire_at = time or schedule.last_fire_at
        schedule.last_job_id = outcome.job_id or schedule.last_job_id
        schedule.last_outcome = (outcome.sentence + missed).strip()
        schedule.next_fire_at = next_time(schedule, now)
        target = ("schedule", schedule.id)
        audit.record(session, now, audit.SYSTEM, outcome.action, target, message=schedule.last_outcome)


MISSED = Outcome("schedule.missed", "")


def newest_due(cron: str, timezone: str, first: datetime, now: datetime) -> datetime | None:
    """Return the newest time from ``first`` to ``now``; None if it is too old to be made up for. Pure."""
    newest = None
    for time in upcoming(cron, timezone, max(first - timedelta(microseconds=1), now - LATE_AFTER)):
        if time > now:
            break
        newest = time
    return newest


async def _try(
    session: AsyncSession, schedule: Schedule, time: datetime, changes: Changes, now: datetime, max_queued: int
) -> Outcome:
    """Fire, or change nothing and store why not: no schedule may block the others or the loop.

    Raises temporary errors of the database.
    """
    done = Changes()
    try:
        async with session.begin_nested():
            outcome = await _fire(session, schedule, time, done, now, max_queued)
    except (jobs.InvalidJobError, jobs.TooManyQueuedError) as error:
        return _failed(str(error))
    except Exception as error:
        if is_passing(error):
            raise  # it passes: the time stays due, for the next pass
        logger.exception("Schedule %s could not submit its job", schedule.name)
        return _failed("the server made a mistake; its log has the details.")
    changes.update(done)
    return outcome


async def _fire(
    session: AsyncSession, schedule: Schedule, time: datetime, changes: Changes, now: datetime, max_queued: int
) -> Outcome:
    job = await session.scalar(select(Job).where(Job.schedule_id == schedule.id, Job.fire_time == time))
    if job is not None:  # the clock was set back, or next_fire_at was restored with an old copy of its table
        return _submitted(job)
    unended = await _unended(session, schedule)
    if unended and schedule.overlap == "skip":
        return Outcome("schedule.skipped", f"Skipped: job {unended[0].id} has not ended.")
    if schedule.overlap == "replace":
        for running in unended:
            await _cancel(session, running, f"schedule/{schedule.name}", changes, now)
    spec = spec_of(schedule)
    job = await jobs.submit(
        session, spec, schedule.user, now, schedule_id=schedule.id, fire_time=time, max_queued=max_queued
    )
    changes.new(job)
    return _submitted(job)


async def _unended(session: AsyncSession, schedule: Schedule) -> Sequence[Job]:
    found = await session.scalars(
        select(Job)
        .where(Job.schedule_id == schedule.id, Job.state.not_in(TERMINAL))
        .order_by(Job.id.desc())
        .with_for_update(key_share=True)
    )
    return found.all()


async def _cancel(session: AsyncSession, job: Job, actor: str, changes: Changes, now: datetime) -> None:
    await cancelling.cancel(session, job.id, actor, now)
    changes.jobs.add(job.id)
    changes.nodes.update(await queries.nodes_of_job(session, job.id))
    if job.state in TERMINAL:
        changes.ended(job)


def _submitted(job: Job) -> Outcome:
    return Outcome("schedule.fired", f"Job {job.id} was submitted.", job.id)


def _failed(why: str) -> Outcome:
    return Outcome("schedule.failed", f"Not submitted: {why}")


def _clock(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
