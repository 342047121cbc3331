"""Earlier jobs that a job can be compared with."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ringscope.contracts.tuning import shape_of
from ringscope_server.db.models import Attempt, Job

# Somebody waits for it: so many succeeded jobs are looked through for the same collective and number of ranks, and so
# many of what is found for the same shape.
_MAX_SUCCEEDED = 2_000
MAX_JOBS = 200
# Null: the usual ones. A job that asked for channels tells nothing of jobs that did not, nor does any of its rows.
ASKED_CHANNELS = Job.spec["benchmark", "channels"].as_integer()


async def alike_attempts(
    session: AsyncSession, collective: str, ranks: int, slots: Sequence[int], channels: int | None = None
) -> list[int]:
    """Attempts of succeeded jobs with the same collective, whose ranks lay on nodes alike, undisturbed; newest
    first.

    ``slots`` are the ranks on each node, ``channels`` what the jobs asked for; None: for none.
    """
    succeeded = select(Job.id).where(Job.state == "succeeded").order_by(Job.id.desc()).limit(_MAX_SUCCEEDED)
    newest_first = await session.scalars(
        select(Attempt)
        .join(Job)
        .where(
            Job.id.in_(succeeded),
            Job.collective == collective,
            Job.ranks == ranks,
            ASKED_CHANNELS.is_not_distinct_from(channels),
            Attempt.disturbed_by.is_(None),
        )
        .order_by(Attempt.id.desc())
        .limit(MAX_JOBS)
        .options(selectinload(Attempt.members))
    )
    shape = shape_of(slots)
    return [attempt.id for attempt in newest_first if shape_of([m.slots for m in attempt.members]) == shape]
