"""The number of busy slots over the last hours, from the attempts that held them."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from pydantic import BaseModel, Field
from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.job_states import TERMINAL
from ringscope_server.db.models import Attempt, Job, Member

BINS = 96  # quarters of an hour in a day


class BusySlots(BaseModel):
    """The mean number of busy slots in equal parts of a time span."""

    since: datetime
    until: datetime
    bin_seconds: float
    busy: list[float] = Field(description="The mean number of busy slots in each part of the span, oldest first.")


async def busy_slots(session: AsyncSession, now: datetime, hours: int) -> BusySlots:
    """Return the slots that attempts held in the last ``hours``: from their assignment to the attempt's end."""
    since = now - timedelta(hours=hours)
    # Each condition has an index; the attempts alone have none by time.
    jobs = select(Job.id).where(or_(Job.finished_at >= since, Job.state.not_in(TERMINAL)))
    query = (
        select(Attempt.created_at, Attempt.finished_at, func.sum(Member.slots))
        .join(Member, Member.attempt_id == Attempt.id)
        .where(Attempt.job_id.in_(jobs), or_(Attempt.finished_at.is_(None), Attempt.finished_at >= since))
        .group_by(Attempt.id, Attempt.created_at, Attempt.finished_at)
    )
    rows = await session.execute(query)
    held = [(start, end or now, int(slots)) for start, end, slots in rows]
    return BusySlots(
        since=since, until=now, bin_seconds=hours * 3600 / BINS, busy=mean_busy(held, since, now - since, BINS)
    )


def mean_busy(
    held: Iterable[tuple[datetime, datetime, int]], since: datetime, span: timedelta, count: int
) -> list[float]:
    """Return the mean of the busy slots in each of ``count`` equal parts of the span after ``since``.

    Args:
        held: start, end and number of slots of each attempt; parts outside the span do not count.
    """
    width = span / count
    sums = [0.0] * count
    for start, end, slots in held:
        begin, over = max((start - since) / width, 0.0), min((end - since) / width, float(count))
        for part in range(int(begin), min(int(over) + 1, count)):
            sums[part] += slots * max(0.0, min(over, part + 1) - max(begin, part))
    return [round(value, 3) for value in sums]
