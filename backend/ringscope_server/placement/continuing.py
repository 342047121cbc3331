"""Elastic jobs that wait for their next attempt: the last one tells how many ranks the next one may have."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.elastic import KILLED, LOSSES, RESIZED
from ringscope_server.db.models import Attempt, Member


@dataclass(frozen=True, slots=True)
class Continuation:
    """A job that continues; ``most_ranks`` is None if the next attempt may have all of its ranks."""

    most_ranks: int | None


async def after_last_attempt(session: AsyncSession, min_ranks: Mapping[int, int]) -> dict[int, Continuation]:
    """Return the elastic jobs of which a lost rank, or more slots, ended the last attempt.

    Args:
        min_ranks: by job, the fewest ranks that it may have.
    """
    if not min_ranks:
        return {}
    last = select(func.max(Attempt.id)).where(Attempt.job_id.in_(min_ranks)).group_by(Attempt.job_id)
    query = (
        select(Attempt.job_id, Attempt.reason, func.sum(Member.slots))
        .join(Member, Member.attempt_id == Attempt.id)
        .where(Attempt.id.in_(last), Attempt.reason.in_(LOSSES | {RESIZED}))
        .group_by(Attempt.job_id, Attempt.reason)
    )
    return {
        job_id: Continuation(max(min_ranks[job_id], int(ranks) - 1) if reason == KILLED else None)
        for job_id, reason, ranks in await session.execute(query)
    }
