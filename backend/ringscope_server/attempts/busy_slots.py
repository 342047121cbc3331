"""The number of busy slots over the last hours, from the attempts that held them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from math import ceil

from pydantic import BaseModel, Field
from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.job_states import TERMINAL
from ringscope_server.db.models import Attempt, Job, Member

BINS = 96  # quarters of an hour in a day


class BusySlots(BaseModel):
    """The mean number of busy slots in parts of a time span that begin at round times of the clock."""

    since: datetime = Field(description="The beginning of the first part: a multiple of bin_seconds since 1970, UTC.")
    until: datetime
    bin_seconds: float
    busy: list[float] = Field(
        description="The mean number of busy slots in each part of the span, oldest first; of the last one until now."
    )


async def busy_slots(session: AsyncSession, now: datetime, hours: int) -> BusySlots:
    """Return the slots that attempts held in the last ``hours``: from their assignment to the attempt's end.

    The parts begin at the same times in each call, so that the value of a past one does not change.
    """
    width = timedelta(hours=hours) / BINS
    since = _begun(now - timedelta(hours=hours), width)
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
    return BusySlots(since=since, until=now, bin_seconds=width.total_seconds(), busy=mean_busy(held, since, now, width))


def mean_busy(
    held: Iterable[tuple[datetime, datetime, int]], since: datetime, until: datetime, width: timedelta
) -> list[float]:
    """Return the mean of the busy slots in each part of this width from ``since`` on; ``until`` ends the last one.

    Args:
        held: start, end and number of slots of each attempt; parts outside the span do not count.
        since: the beginning of the first part.
        until: the end, after ``since``.
        width: the length of a part; the last one may be shorter.
    """
    all_parts = (until - since) / width
    sums = [0.0] * ceil(all_parts)
    for start, end, slots in held:
        begin, over = max((start - since) / width, 0.0), min((end - since) / width, all_parts)
        for part in range(int(begin), min(int(over) + 1, len(sums))):
            sums[part] += slots * max(0.0, min(over, part + 1) - max(begin, part))
    return [round(value / min(1.0, all_parts - part), 3) for part, value in enumerate(sums)]


def _begun(time: datetime, width: timedelta) -> datetime:
    """Return the beginning of the part of the clock's time that ``time`` lies in."""
    return time - (time - datetime.fromtimestamp(0, UTC)) % width
