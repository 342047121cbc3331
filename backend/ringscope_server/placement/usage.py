"""The usage of each user: slot-seconds that count half after every half-life."""

import math
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Attempt, Job, Member, Usage

_AT_ONCE = 1000  # attempts charged in one pass; the next pass goes on
# What the attempt held; an elastic job may have more or fewer ranks by now.
_SLOTS = select(func.sum(Member.slots)).where(Member.attempt_id == Attempt.id).scalar_subquery()


def decayed(slot_seconds: float, age_seconds: float, half_life_hours: float) -> float:
    """Return the rest of a usage after this time."""
    half_lives = max(0.0, age_seconds) / (half_life_hours * 3600)
    return slot_seconds * math.exp2(-half_lives)


async def of_all(session: AsyncSession, now: datetime, half_life_hours: float) -> dict[str, float]:
    """Each user's slot-seconds as they count now."""
    rows = await session.execute(select(Usage.user, Usage.slot_seconds, Usage.updated_at))
    return {
        user: decayed(slot_seconds, (now - updated_at).total_seconds(), half_life_hours)
        for user, slot_seconds, updated_at in rows
    }


async def charge(
    session: AsyncSession, user: str, slots: int, seconds: float, now: datetime, half_life_hours: float
) -> None:
    """Add a use that ends now to what the user has had."""
    row = await session.get(Usage, user)
    if row is None:
        row = Usage(user=user, slot_seconds=0.0, updated_at=now)
        session.add(row)
    before = decayed(row.slot_seconds, (now - row.updated_at).total_seconds(), half_life_hours)
    row.slot_seconds = before + slots * seconds
    row.updated_at = now


async def charge_finished(session: AsyncSession, now: datetime, half_life_hours: float) -> None:
    """Charge every finished attempt that was not yet charged, for as long as it had its slots."""
    finished = await session.execute(
        select(Attempt, Job.user, _SLOTS)
        .join(Job)
        .where(Attempt.charged_at.is_(None), Attempt.finished_at.is_not(None))
        .order_by(Attempt.finished_at)
        .limit(_AT_ONCE)
    )
    for attempt, user, slots in finished.all():
        assert attempt.finished_at is not None, "the query asks for it"
        seconds = (attempt.finished_at - attempt.created_at).total_seconds()
        seconds = decayed(seconds, (now - attempt.finished_at).total_seconds(), half_life_hours)
        await charge(session, user, slots or 0, seconds, now, half_life_hours)
        attempt.charged_at = now
