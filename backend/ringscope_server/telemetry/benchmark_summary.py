"""The stored summary of a benchmark, updated by each batch: rows stored before are not read again."""

import asyncio
from collections.abc import Iterable, Sequence

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.job_states import TERMINAL, WAITING
from ringscope_server.db.models import Attempt, Job, Measurement
from ringscope_server.db.specs import valid_spec
from ringscope_server.jobs.summary import summary_of
from ringscope_server.jobs.tally import Tally
from ringscope_server.predictions import gang as gangs
from ringscope_server.predictions import limit as limits


async def refresh(session: AsyncSession, attempt_id: int, job_id: int, rows: Sequence[Measurement]) -> bool:
    """Store the summary of the rows with the job, whose row is locked; ``rows`` are stored and the newest.

    Return False and change nothing if the job is at another attempt now, or waits for it, or has ended.
    """
    job = await session.get_one(Job, job_id)
    newest = await session.scalar(select(func.max(Attempt.id)).where(Attempt.job_id == job_id))
    if job.state in WAITING | TERMINAL or newest != attempt_id:
        return False
    stored = await session.scalar(select(Attempt.tally).where(Attempt.id == attempt_id))
    tally = Tally() if stored is None else Tally.model_validate(stored)
    is_behind = tally.rows != job.rows_done  # an earlier version of the server has stored rows without a tally
    if is_behind or stored is None:
        tally = Tally(limit_gb_per_s=await _limit_gb_per_s(session, attempt_id, job))
    for row in await _all_rows(session, attempt_id) if is_behind else rows:
        tally.add(row)
        tally.lowered_max_bytes = row.lowered_max_bytes
    kept = update(Attempt).where(Attempt.id == attempt_id).values(tally=tally.model_dump(mode="json"))
    await session.execute(kept.execution_options(synchronize_session=False))
    summary = await asyncio.to_thread(summary_of, tally)  # for many sizes and algorithms this takes a tenth of a second
    job.rows_done, job.summary = tally.rows, summary.model_dump(mode="json")
    return True


async def _limit_gb_per_s(session: AsyncSession, attempt_id: int, job: Job) -> float | None:
    """Return the limit by the gang's links; a gang keeps its nodes, so it is computed once."""
    gang = await gangs.taken(session, attempt_id)
    spec = valid_spec(job)
    limit = limits.of_job(spec, gangs.nics_of(gang), gangs.has_gpus(gang)) if spec else None
    return limit.busbw_gb_per_s if limit else None


async def _all_rows(session: AsyncSession, attempt_id: int) -> Iterable[Measurement]:
    query = select(Measurement).where(Measurement.attempt_id == attempt_id).order_by(Measurement.id)
    return await session.scalars(query)
