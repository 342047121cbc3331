"""Conversion of training records into rows: epochs, the newest step of each rank from inside, the collectives of a
script, and totals of each rank's steps.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts import record
from ringscope.contracts.training import record as training_record
from ringscope_server.db.models import Epoch, RankBuckets, RankCollectives, RankPipelineStep, RankTotals
from ringscope_server.results.rows import finite

# First steps of each attempt; libraries initialise in them, which may take longer than all steps of a short job.
WARM_UP_STEPS = 1


def is_training(steps: record.Steps, is_script: bool = False) -> bool:
    """Return whether these are training steps: a benchmark's have no samples and no loss; a script's may lack both."""
    return bool(steps.start_ns) and (is_script or steps.samples is not None or steps.loss is not None)


async def store(
    session: AsyncSession, attempt_id: int, job_id: int, records: Sequence[record.Record], is_script: bool = False
) -> bool:
    """Store these records; return whether there was any of training.

    The job's row is locked: two nodes do not add to their ranks' totals at the same time.
    """
    epochs = [told for told in records if isinstance(told, training_record.Epoch)]
    steps = [told for told in records if isinstance(told, record.Steps) and is_training(told, is_script)]
    newest = {told.rank: told for told in records if isinstance(told, training_record.Buckets)}
    pipeline_steps = {told.rank: told for told in records if isinstance(told, training_record.PipelineStep)}
    session.add_all(_epoch(told, job_id, attempt_id) for told in epochs)
    await _keep_buckets(session, attempt_id, newest)
    for told in pipeline_steps.values():
        row = RankPipelineStep(attempt_id=attempt_id, rank=told.rank, told=told.model_dump(mode="json"))
        await session.merge(row)
    collectives = {told.rank: told for told in records if isinstance(told, training_record.Collectives)}
    for rank, called in collectives.items():
        await session.merge(RankCollectives(attempt_id=attempt_id, rank=rank, told=called.model_dump(mode="json")))
    await _add_up(session, attempt_id, steps)
    return bool(epochs or steps)


async def _keep_buckets(session: AsyncSession, attempt_id: int, newest: dict[int, training_record.Buckets]) -> None:
    for told in newest.values():
        names = ["bytes", "ready_us", "start_us", "end_us"]
        names += [name for name in ("layer", "direction") if getattr(told, name) is not None]
        columns = zip(*(getattr(told, name) for name in names), strict=True)
        buckets = [dict(zip(names, bucket, strict=True)) for bucket in columns]
        row = {"step": told.step, "backward_us": told.backward_us, "buckets": buckets}
        await session.merge(RankBuckets(attempt_id=attempt_id, rank=told.rank, **row))


async def _add_up(session: AsyncSession, attempt_id: int, steps: Iterable[record.Steps]) -> None:
    ranks = {told.rank for told in steps}
    query = select(RankTotals).where(RankTotals.attempt_id == attempt_id, RankTotals.rank.in_(ranks))
    known = {totals.rank: totals for totals in await session.scalars(query)} if ranks else {}
    for told in steps:
        is_first = told.rank not in known
        if is_first:
            known[told.rank] = _nothing_yet(attempt_id, told)
            session.add(known[told.rank])
        _add(known[told.rank], told, WARM_UP_STEPS if is_first else 0)


def _nothing_yet(attempt_id: int, first: record.Steps) -> RankTotals:
    zeros: dict[str, Any] = dict.fromkeys(("duration_us", "compute_us", "communication_us", "exposed_us"), 0.0)
    step = first.first_step
    return RankTotals(attempt_id=attempt_id, rank=first.rank, first_step=step, last_step=step, samples=0, **zeros)


def _add(totals: RankTotals, told: record.Steps, left_out: int) -> None:
    totals.last_step = told.first_step + len(told.start_ns) - 1
    totals.samples += sum((told.samples or [])[left_out:])
    totals.duration_us += sum(told.duration_us[left_out:])
    totals.compute_us += sum(told.compute_us[left_out:])
    totals.communication_us += sum(told.communication_us[left_out:])
    totals.exposed_us += sum(told.exposed_us[left_out:])
    if told.input_us is not None:
        totals.input_us = (totals.input_us or 0.0) + sum(told.input_us[left_out:])
    totals.last_loss = finite(told.loss[-1]) if told.loss else None


def _epoch(told: training_record.Epoch, job_id: int, attempt_id: int) -> Epoch:
    losses = {name: finite(getattr(told, name)) for name in ("training_loss", "validation_loss")}
    same = told.model_dump(exclude={"type", "time_ns", *losses})
    ended_at = datetime.fromtimestamp(told.time_ns / 1e9, UTC)
    return Epoch(job_id=job_id, attempt_id=attempt_id, ended_at=ended_at, **same, **losses)
