"""Cancelling a job in any state."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.job_states import TERMINAL, WAITING
from ringscope_server.attempts import gangs
from ringscope_server.db.models import Job
from ringscope_server.events import audit
from ringscope_server.jobs.reasons import reason_of
from ringscope_server.jobs.service import WrongStateError, find
from ringscope_server.jobs.transitions import transition


async def cancel(session: AsyncSession, job_id: int, user: str, now: datetime) -> Job | None:
    """End a job: at once while it waits, through ``stopping`` once it was started. Return None if there is no such job.

    Raises WrongStateError if it has ended in another way. A stopping job is only kept from being retried.
    """
    job = await find(session, job_id)
    if job is None:
        return None
    if job.reason == "user_cancelled" and job.state == "cancelled":
        return job  # a client that repeats the request may have missed the first answer
    if job.state in TERMINAL:
        raise WrongStateError(f"Job {job_id} has already ended; there is nothing to cancel.")
    sentence = f"Cancelled by {user}."
    if job.state in WAITING:
        await transition(session, job_id, "cancelled", now, actor=user, reason="user_cancelled", message=sentence)
    elif job.state != "stopping":
        await gangs.stop(session, job_id, "user_cancelled", sentence, now, actor=user)
    elif reason_of(job.reason or "").may_be_retried:
        sentence = f"{sentence} It was stopping: {job.message}"
        audit.record(session, now, user, "job.not_to_be_retried", ("job", job_id), before=job.reason, message=sentence)
        job.reason, job.message = "user_cancelled", sentence
    return job
