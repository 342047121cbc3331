"""Changes of the algorithm that ``auto`` makes while a job trains, as events of the job."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.training.record import AlgorithmChanged
from ringscope_server.db.models import Event
from ringscope_server.events import audit

ACTION = "job.algorithm_changed"
MOST_EVENTS = 200  # limit for a job: a link that comes and goes for days must not fill the table


async def tell(session: AsyncSession, job_id: int, changes: Sequence[AlgorithmChanged], now: datetime) -> None:
    """Add an event for each change, unless the job has many already."""
    if not changes:
        return
    known = select(func.count()).where(
        Event.target_type == "job", Event.target_id == str(job_id), Event.action == ACTION
    )
    free = MOST_EVENTS - (await session.scalar(known) or 0)
    for change in changes[: max(0, free)]:
        message = change.sentence
        target = ("job", job_id)
        audit.record(
            session, now, audit.SYSTEM, ACTION, target, before=change.before, after=change.after, message=message
        )
