"""Earlier jobs that a job can be compared with."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ringscope.contracts.mode import USUAL, Mode
from ringscope.contracts.tuning import shape_of
from ringscope_server.db.models import Attempt, Job

# Somebody waits for it: so many succeeded jobs are looked through for the same collective and number of ranks, and so
# many of what is found for the same shape.
_MAX_SUCCEEDED = 2_000
MAX_JOBS = 200


def in_mode(mode: Mode) -> list[ColumnElement[bool]]:
    """Conditions on jobs; specifications of earlier versions, which lack a field, are as usual."""
    asked = Job.spec["benchmark"]
    return [
        asked["channels"].as_integer().is_not_distinct_from(mode.channels),
        func.coalesce(asked["aggregate"].as_integer(), USUAL.aggregate) == mode.aggregate,
        func.coalesce(asked["blocking"].as_integer(), USUAL.blocking) == mode.blocking,
        func.coalesce(asked["average"].as_string(), USUAL.average) == mode.average,
        func.coalesce(asked["rotate"].as_boolean(), USUAL.rotate) == mode.rotate,
    ]


async def alike_attempts(
    session: AsyncSession, collective: str, ranks: int, slots: Sequence[int], mode: Mode = USUAL
) -> list[int]:
    """The tries that made jobs with the same collective and mode succeed, whose ranks lay on nodes alike, undisturbed;
    newest first.

    ``slots`` are the ranks on each node.
    """
    succeeded = select(Job.id).where(Job.state == "succeeded").order_by(Job.id.desc()).limit(_MAX_SUCCEEDED)
    newest_first = await session.scalars(
        select(Attempt)
        .join(Job)
        .where(
            Job.id.in_(succeeded),
            Job.collective == collective,
            Job.ranks == ranks,
            *in_mode(mode),
            Attempt.reason == "completed",  # not those before, which may have lost a node amid a row
            Attempt.disturbed_by.is_(None),
        )
        .order_by(Attempt.id.desc())
        .limit(MAX_JOBS)
        .options(selectinload(Attempt.members))
    )
    shape = shape_of(slots)
    return [attempt.id for attempt in newest_first if shape_of([m.slots for m in attempt.members]) == shape]
