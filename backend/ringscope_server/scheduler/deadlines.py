"""The effects of time and lost nodes on jobs, checked in every pass of the scheduler's loop."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.attempts import gangs
from ringscope_server.attempts.verdicts import node_lost
from ringscope_server.changes import Changes
from ringscope_server.db.faults import is_passing
from ringscope_server.db.models import Attempt, Job
from ringscope_server.db.specs import SPOILED
from ringscope_server.jobs.transitions import locked, transition
from ringscope_server.nodes.health import LOST_AFTER
from ringscope_server.nodes.listening import Listening
from ringscope_server.placement.snapshot import QueuedJob
from ringscope_server.scheduler.starts import Overdue, StartLimit

log = logging.getLogger(__name__)

AT_ONCE = 25  # attempts in one transaction, each some 20 ms: PostgreSQL ends one that lasts for 10 s


async def enforce(session: AsyncSession, start: StartLimit, changes: Changes, now: datetime) -> None:
    """Stop attempts that are overdue or have lost a node, end those that are stopped and clean; the next pass
    continues.
    """
    seen = await gangs.active_attempts(session)
    due = (
        each for each in seen if _overdue(each, start, now) or (each.job.state == "stopping" and gangs.is_clean(each))
    )
    for attempt_id in [each.id for each in islice(due, AT_ONCE)]:
        await _try(session, attempt_id, start, changes, now)


async def _try(session: AsyncSession, attempt_id: int, start: StartLimit, changes: Changes, now: datetime) -> None:
    """Enforce, or only end the job: no attempt may block the others or the loop.

    Raises temporary errors of the database.
    """
    for work in (partial(_enforce_attempt, start=start), _break_off):
        done = Changes()
        try:
            async with session.begin_nested():
                await work(session, attempt_id, changes=done, now=now)
        except Exception as error:
            if is_passing(error):
                raise
            log.exception("The attempt with id %d could not be brought on", attempt_id)
        else:
            changes.update(done)
            return


async def _break_off(session: AsyncSession, attempt_id: int, changes: Changes, now: datetime) -> None:
    attempt = await gangs.load(session, attempt_id)
    if attempt is None or attempt.finished_at is not None:
        return
    changes.attempt(attempt)
    if await gangs.break_off(session, attempt, now):
        changes.ended(attempt.job)


async def _enforce_attempt(
    session: AsyncSession, attempt_id: int, start: StartLimit, changes: Changes, now: datetime
) -> None:
    # Checked again under the job's lock, because a report may have come in between.
    attempt = await gangs.load(session, attempt_id)
    if attempt is None or attempt.finished_at is not None:
        return
    if overdue := _overdue(attempt, start, now):
        await gangs.stop(session, attempt.job_id, overdue.reason, overdue.sentence, now, bad_node=overdue.bad_node)
        attempt.start_limit_seconds = overdue.start_limit_seconds
        changes.attempt(attempt)
    if await gangs.finish_if_clean(session, attempt, now):
        changes.attempt(attempt)
        changes.ended(attempt.job)


def _overdue(attempt: Attempt, start: StartLimit, now: datetime) -> Overdue | None:
    """Return why this attempt must stop now, if it must."""
    job = attempt.job
    if job.state == "stopping":
        return None
    lost = next((member for member in attempt.members if member.node.observed == "lost"), None)
    if lost is not None:
        return Overdue("node_lost", node_lost(lost), lost.node.name)
    if job.state == "starting":
        return start.overdue(attempt, now)
    return _too_long(attempt, start.listening, now)


def _too_long(attempt: Attempt, listening: Listening, now: datetime) -> Overdue | None:
    """Return whether it ran longer than it may. An end during a gap of listening gets a moment to be reported."""
    limit, began = attempt.job.spec["time_limit_seconds"], attempt.started_at
    if began is None or now - began <= timedelta(seconds=limit):
        return None
    moment = min(LOST_AFTER, timedelta(seconds=limit))
    if listening.since(began + timedelta(seconds=limit) - moment, now) <= moment:
        return None
    return Overdue("time_limit", f"It ran longer than its time limit of {limit} s.")


async def expire(session: AsyncSession, overdue: Sequence[QueuedJob], changes: Changes, now: datetime) -> None:
    """Fail the jobs that have waited longer than their queue timeout; a held job does not wait for slots."""
    for seen in overdue:
        job = await locked(session, seen.id)
        if job.state != "queued" or job.queued_at != seen.queued_at:
            continue  # meanwhile it was started, or waits again
        sentence = f"It waited longer than its queue timeout of {seen.queue_timeout_seconds} s."
        await _fail(session, job.id, "queue_timeout", sentence, changes, now)


async def give_up(session: AsyncSession, spoiled: Sequence[int], changes: Changes, now: datetime) -> None:
    """Fail the jobs whose specifications are not valid any more, because they cannot be started."""
    for job_id in spoiled:
        await _fail(session, job_id, "server_error", SPOILED, changes, now)


async def _fail(
    session: AsyncSession, job_id: int, reason: str, sentence: str, changes: Changes, now: datetime
) -> None:
    if await transition(session, job_id, "failed", now, reason=reason, message=sentence):
        changes.jobs.add(job_id)
        changes.ended(await session.get_one(Job, job_id))
