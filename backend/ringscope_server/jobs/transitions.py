"""The only function that changes a job's state."""

from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.job_states import BY_MOVE, TERMINAL, JobState, Move
from ringscope_server.db.models import Job
from ringscope_server.events import audit


async def transition(
    session: AsyncSession,
    job_id: int,
    move: Move,
    now: datetime,
    *,
    actor: str = audit.SYSTEM,
    reason: str | None = None,
    message: str = "",
    **columns: Any,
) -> bool:
    """Move a job to another state and write the event, in one transaction; ``columns`` of the job change with it.

    Return False and change nothing if the job is in no state from which the move may start: another caller was faster.
    """
    allowed = BY_MOVE[move]
    before = (await locked(session, job_id)).state
    result = await session.execute(
        update(Job)
        .where(Job.id == job_id, Job.state == before, Job.state.in_(allowed.origins))
        .values(_consequences(allowed.target, now, reason, message) | columns)
        .execution_options(synchronize_session="evaluate")
    )
    if result.rowcount == 0:  # type: ignore[attr-defined]  # an UPDATE's result is a CursorResult
        return False
    audit.record(
        session,
        now,
        actor,
        f"job.{move}",
        ("job", job_id),
        before=before,
        after=allowed.target,
        message=message or (reason or ""),
    )
    return True


async def locked(session: AsyncSession, job_id: int) -> Job:
    """Return the job as it is now, locked until this transaction ends. Raises NoResultFound."""
    query = select(Job).where(Job.id == job_id).with_for_update(key_share=True)
    return (await session.scalars(query.execution_options(populate_existing=True))).one()


def _consequences(target: JobState, now: datetime, reason: str | None, message: str) -> dict[str, Any]:
    """Return the columns that follow from the new state."""
    values: dict[str, Any] = {"state": target}
    values |= dict.fromkeys(("pending_reason", "pending_sentence", "pending_position", "estimated_start"))
    if reason is not None:
        values |= {"reason": reason, "message": message}
    if target == "queued":  # the wait, and with it the queue timeout, restarts
        values |= {"queued_at": now, "started_at": None, "reason": None, "message": ""}
    if target == "starting":
        values["not_before"] = None
    if target == "running":
        values["started_at"] = now
    if target in TERMINAL:
        values["finished_at"] = now
    return values
