"""Earlier jobs that a job can be compared with."""

from collections.abc import Sequence
from typing import NamedTuple

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


class AlikeRun(NamedTuple):
    """The try that made an earlier job succeed, and whether something else disturbed it."""

    attempt_id: int
    is_disturbed: bool


async def alike_runs(
    session: AsyncSession, collective: str, ranks: int, slots: Sequence[int], mode: Mode = USUAL
) -> list[AlikeRun]:
    """Of jobs with the same collective and mode, whose ranks lay on nodes alike; newest first.

    ``slots`` are the ranks on each node.
    """
    succeeded = select(Job.id).where(Job.state == "succeeded").order_by(Job.id.desc()).limit(_MAX_SUCCEEDED)
    shape, runs = shape_of(slots), []
    for is_disturbed in (False, True):  # each with its own limit: disturbed runs crowd no other one out
        newest_first = await session.scalars(
            select(Attempt)
            .join(Job)
            .where(
                Job.id.in_(succeeded),
                Job.collective == collective,
                Job.ranks == ranks,
                *in_mode(mode),
                Attempt.reason == "completed",  # not those before, which may have lost a node amid a row
                Attempt.disturbed_by.is_not(None) if is_disturbed else Attempt.disturbed_by.is_(None),
            )
            .order_by(Attempt.id.desc())
            .limit(MAX_JOBS)
            .options(selectinload(Attempt.members))
        )
        runs += [
            AlikeRun(attempt.id, is_disturbed)
            for attempt in newest_first
            if shape_of([member.slots for member in attempt.members]) == shape
        ]
    return sorted(runs, reverse=True)


async def alike_attempts(
    session: AsyncSession, collective: str, ranks: int, slots: Sequence[int], mode: Mode = USUAL
) -> list[int]:
    """Those that nothing disturbed: what ``auto`` and the model go by."""
    found = await alike_runs(session, collective, ranks, slots, mode)
    return [run.attempt_id for run in found if not run.is_disturbed]
