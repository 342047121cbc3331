"""The running elastic jobs that should get more ranks: those that have just ended an epoch and have too few."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import Placement
from ringscope_server.db.models import Attempt, Epoch, Job
from ringscope_server.placement.growing import Growth, growing
from ringscope_server.placement.snapshot import Policy, WorkPlacement, names_in
from ringscope_server.placement.tables import take_snapshot

# A new start costs seconds, so an attempt that has just begun keeps its ranks.
LEAST_SECONDS = 10


class _Small(NamedTuple):
    """A running elastic job with fewer ranks than it asks for."""

    job_id: int
    attempt_id: int
    placement: WorkPlacement
    epochs: int  # the number that its specification asks for
    epoch: int  # the last one that this attempt has ended; 0: none
    started_at: datetime


class Growths:
    """Finds the jobs that should grow; it remembers which epochs it has seen, because only a new one counts."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}  # the last epoch, by attempt

    async def find(self, session: AsyncSession, policy: Policy, now: datetime) -> list[Growth]:
        """Return the jobs that have just ended an epoch and could have more ranks, if no job waits for slots."""
        small = await _small(session)
        ended = {
            job.job_id: job.placement
            for job in small
            if self._seen.get(job.attempt_id, job.epoch) < job.epoch < job.epochs
            and now - job.started_at >= timedelta(seconds=LEAST_SECONDS)
        }
        self._seen = {job.attempt_id: job.epoch for job in small}
        if not ended or await session.scalar(select(exists().where(Job.state == "queued"))):
            return []
        return growing(ended, await take_snapshot(session, (), policy, now), policy, now)


_SMALL = (
    select(
        Job.id,
        Attempt.id,
        Job.spec["placement"].as_string(),
        Job.spec["env"].as_string(),
        Job.spec["training"]["epochs"].as_integer(),
        select(func.max(Epoch.epoch)).where(Epoch.attempt_id == Attempt.id, Epoch.job_id == Job.id).scalar_subquery(),
        Attempt.started_at,
    )
    .join(Attempt, Attempt.job_id == Job.id)
    .where(
        Job.state == "running",
        Job.kind == "training",
        Attempt.finished_at.is_(None),
        Attempt.started_at.is_not(None),
        Job.spec["placement"]["min_ranks"].as_integer().is_not(None),
        Job.ranks < Job.spec["placement"]["ranks"].as_integer(),
    )
)


async def _small(session: AsyncSession) -> list[_Small]:
    rows = await session.execute(_SMALL)
    return [
        _Small(job_id, attempt_id, _placement(text, env), epochs, epoch or 0, started_at)
        for job_id, attempt_id, text, env, epochs, epoch, started_at in rows
    ]


def _placement(text: str, env: str | None) -> WorkPlacement:
    return WorkPlacement.for_kind(Placement.model_validate_json(text), "training", names_in(env))
