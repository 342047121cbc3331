"""The one way in which a job changes its state."""

from datetime import datetime

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Job
from ringscope_server.events import log
from ringscope_server.jobs.states import TERMINAL, TRANSITIONS, JobState


async def transition(
    session: AsyncSession,
    job_id: int,
    to: JobState,
    now: datetime,
    *,
    actor: str = log.SYSTEM,
    reason: str | None = None,
    message: str = "",
) -> bool:
    """Move a job to another state and write the event, in one transaction.

    Gives False and changes nothing when the job is no longer in a state from which ``to`` may follow: somebody else
    was faster, and the caller's news is old.
    """
    origins = [state for state, targets in TRANSITIONS.items() if to in targets]
    values: dict[str, object] = {"state": to}
    if reason is not None:
        values |= {"reason": reason, "message": message}
    if to == "running":
        values["started_at"] = now
    if to in TERMINAL:
        values["finished_at"] = now
    if to != "queued":
        values |= {"pending_reason": None, "pending_sentence": None, "estimated_start": None}
    before = (await session.get_one(Job, job_id, populate_existing=True)).state
    result = await session.execute(
        update(Job)
        .where(Job.id == job_id, Job.state == before, Job.state.in_(origins))
        .values(**values)
        .execution_options(synchronize_session="evaluate")
    )
    if result.rowcount == 0:  # type: ignore[attr-defined]  # an UPDATE's result is a CursorResult
        return False
    log.record(
        session,
        now,
        actor,
        f"job.{to}",
        ("job", job_id),
        before=before,
        after=to,
        message=message or (reason or ""),
    )
    return True
