"""Epochs over all attempts: a retried job continues from a checkpoint, so some epochs may be reported twice."""

from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Attempt, Epoch
from ringscope_server.training.views import EpochView


def kept_epochs(job_id: int) -> Select[Any]:
    """Select, for each epoch, the row of the latest attempt."""
    last = select(func.max(Epoch.id)).where(Epoch.job_id == job_id).group_by(Epoch.epoch)
    return select(Epoch).where(Epoch.id.in_(last))


async def epochs(session: AsyncSession, job_id: int, limit: int, after: int | None) -> list[EpochView]:
    """Return a page of a job's epochs, oldest first; ``after`` is the id before."""
    query = kept_epochs(job_id)
    if after is not None:
        query = query.where(Epoch.id > after)
    return await _read(session, query.order_by(Epoch.id).limit(limit))


async def newest_epochs(session: AsyncSession, job_id: int, limit: int) -> list[EpochView]:
    """Return the last of a job's epochs, oldest first."""
    return (await _read(session, kept_epochs(job_id).order_by(Epoch.id.desc()).limit(limit)))[::-1]


async def spaced_epochs(session: AsyncSession, job_id: int, most: int) -> list[EpochView]:
    """Return every n-th epoch, so that there are at most ``most``; the last epoch replaces the one before it."""
    last = await session.scalar(select(func.max(Epoch.epoch)).where(Epoch.job_id == job_id))
    if last is None:
        return []
    every = -(-last // most)
    spaced = (Epoch.epoch % every == 0) & (Epoch.epoch <= last - every)
    return await _read(session, kept_epochs(job_id).where(spaced | (Epoch.epoch == last)).order_by(Epoch.epoch))


async def _read(session: AsyncSession, query: Select[Any]) -> list[EpochView]:
    numbered = query.add_columns(Attempt.number).join(Attempt, Attempt.id == Epoch.attempt_id)
    return [_view(epoch, number) for epoch, number in await session.execute(numbered)]


async def steps_by_epoch(session: AsyncSession, job_id: int) -> dict[int, int]:
    """Return the steps done at the end of each epoch, for the newest attempt that reported any.

    An attempt that began from the checkpoint of the last epoch has none of its own.
    """
    newest = select(func.max(Epoch.attempt_id)).where(Epoch.job_id == job_id).scalar_subquery()
    query = select(Epoch.epoch, Epoch.step).where(Epoch.attempt_id == newest).order_by(Epoch.id)
    return {row.epoch: row.step for row in await session.execute(query)}


def _view(epoch: Epoch, number: int) -> EpochView:
    names = EpochView.model_fields.keys() - {"attempt"}
    return EpochView.model_validate({"attempt": number} | {name: getattr(epoch, name) for name in names})
