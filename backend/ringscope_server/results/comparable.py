"""Earlier jobs that are comparable with a job."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ringscope.contracts.environment import digest
from ringscope.contracts.job import IMPORTED
from ringscope.contracts.tuning import shape_of
from ringscope.judging.mode import DEFAULT, Mode
from ringscope_server.db.models import Attempt, Job

# A request waits for this: the number of succeeded jobs that are searched for the same collective and number of
# ranks, and of those that are read for the same shape.
_MAX_SUCCEEDED = 2_000
MAX_JOBS = 200


def in_mode(mode: Mode) -> list[ColumnElement[bool]]:
    """Return conditions on jobs; fields that specifications of earlier versions lack count as the default."""
    asked = Job.spec["benchmark"]
    return [
        asked["channels"].as_integer().is_not_distinct_from(mode.channels),
        func.coalesce(asked["aggregate"].as_integer(), DEFAULT.aggregate) == mode.aggregate,
        func.coalesce(asked["blocking"].as_integer(), DEFAULT.blocking) == mode.blocking,
        func.coalesce(asked["registration"].as_integer(), DEFAULT.registration) == mode.registration,
        func.coalesce(asked["cuda_graph_launches"].as_integer(), DEFAULT.cuda_graph_launches)
        == mode.cuda_graph_launches,
        func.coalesce(asked["average"].as_string(), DEFAULT.average) == mode.average,
        func.coalesce(asked["rotate"].as_boolean(), DEFAULT.rotate) == mode.rotate,
        Job.env_sha256.is_not_distinct_from(digest(dict(mode.env))),
    ]


class ComparableRun(NamedTuple):
    """The attempt that made an earlier job succeed, and whether other jobs or load disturbed it."""

    attempt_id: int
    is_disturbed: bool


async def comparable_runs(
    session: AsyncSession, collective: str, ranks: int, slots: Sequence[int], mode: Mode = DEFAULT
) -> list[ComparableRun]:
    """Return the runs of jobs with the same collective and mode on nodes of the same shape, newest first.

    ``slots`` are the ranks on each node.
    """
    return await _runs(session, Job.collective == collective, ranks, slots, mode)


async def _runs(
    session: AsyncSession, is_wanted: ColumnElement[bool], ranks: int, slots: Sequence[int], mode: Mode
) -> list[ComparableRun]:
    """Return the runs of the wanted jobs, newest first."""
    succeeded = (
        select(Job.id)
        .where(Job.state == "succeeded", Job.kind != IMPORTED)
        .order_by(Job.id.desc())
        .limit(_MAX_SUCCEEDED)
    )
    shape, runs = shape_of(slots), []
    for is_disturbed in (False, True):  # each with its own limit, so that disturbed runs do not displace others
        newest_first = await session.scalars(
            select(Attempt)
            .join(Job)
            .where(
                Job.id.in_(succeeded),
                is_wanted,
                Job.ranks == ranks,
                *in_mode(mode),
                Attempt.reason == "completed",  # not the attempts before it, which may have lost a node within a row
                Attempt.disturbed_by.is_not(None) if is_disturbed else Attempt.disturbed_by.is_(None),
            )
            .order_by(Attempt.id.desc())
            .limit(MAX_JOBS)
            .options(selectinload(Attempt.members))
        )
        runs += [
            ComparableRun(attempt.id, is_disturbed)
            for attempt in newest_first
            if shape_of([member.slots for member in attempt.members]) == shape
        ]
    return sorted(runs, reverse=True)


async def comparable_attempts(
    session: AsyncSession, collective: str, ranks: int, slots: Sequence[int], mode: Mode = DEFAULT
) -> list[int]:
    """Return the undisturbed attempts, on which ``auto`` and the model are based."""
    found = await comparable_runs(session, collective, ranks, slots, mode)
    return [run.attempt_id for run in found if not run.is_disturbed]


async def comparable_searches(session: AsyncSession, ranks: int, slots: Sequence[int]) -> list[int]:
    """Return the undisturbed attempts of strategy searches in the default mode, newest first, on nodes of this
    shape.
    """
    found = await _runs(session, Job.kind == "strategy_search", ranks, slots, DEFAULT)
    return [run.attempt_id for run in found if not run.is_disturbed]
