"""A training job in a few numbers, stored with the job. They cover the whole job, not one attempt."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Double, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import record as training_record
from ringscope.contracts.words.job_states import TERMINAL, WAITING
from ringscope_server.db.models import Attempt, Epoch, Job, RankTotals
from ringscope_server.db.specs import valid_spec
from ringscope_server.jobs.views import TrainingSummary
from ringscope_server.training import scaling
from ringscope_server.training.epochs import kept_epochs


async def refresh(
    session: AsyncSession,
    attempt_id: int,
    job_id: int,
    told: Sequence[training_record.Epoch],
    diverged: Sequence[training_record.Diverged],
) -> float | None:
    """Store the reports with the job, unless it ended or is at another attempt now; return the leader's last loss.

    The leader is the worker with the lowest number: rank 0, except with parameter servers. Its loss is None also if it
    was not a finite number. ``told`` are the new epochs: the figures by epoch are only computed if there are any.
    ``diverged`` are new reports of what was not finite: without one, a script that has no loss reports none.
    """
    leader = await _leader(session, attempt_id)
    job = await session.get_one(Job, job_id)
    newest = await session.scalar(select(func.max(Attempt.id)).where(Attempt.job_id == job_id))
    if job.kind == "benchmark" or job.state in WAITING | TERMINAL or newest != attempt_id:
        return leader.last_loss if leader else None
    before = TrainingSummary.model_validate(job.summary)
    summary = before.model_copy(update=await _rates(session, job_id))
    if leader is not None:
        summary.steps_done = leader.last_step + 1
        if not summary.epochs_done:
            summary.loss = leader.last_loss
    if told:
        await _take_epochs(session, job, summary, told)
    summary.is_diverged = summary.loss is None and (job.kind == "training" or before.is_diverged or bool(diverged))
    summary.scaling_efficiency = await scaling.efficiency(session, job.ranks, summary)
    job.rows_done, job.summary = summary.steps_done, summary.model_dump(mode="json")
    return leader.last_loss if leader else None


async def _leader(session: AsyncSession, attempt_id: int) -> RankTotals | None:
    query = select(RankTotals).where(RankTotals.attempt_id == attempt_id).order_by(RankTotals.rank).limit(1)
    return await session.scalar(query)


async def _rates(session: AsyncSession, job_id: int) -> dict[str, Any]:
    """Return samples per second of all ranks together, and the mean rank's times in steps, over all attempts.

    Each attempt counts for itself, because those of an elastic job have different numbers of ranks. All are means over
    the same steps: samples_per_second x step_seconds / timed_steps are the samples of a step.
    """
    attempt = (
        select(
            cast(func.sum(RankTotals.samples), Double).label("samples"),
            func.avg(RankTotals.duration_us).label("duration_us"),
            func.avg(cast(RankTotals.last_step - RankTotals.first_step, Double)).label("steps"),
            func.avg(RankTotals.compute_us).label("compute_us"),
            func.avg(RankTotals.communication_us).label("communication_us"),
            func.avg(RankTotals.exposed_us).label("exposed_us"),
            func.avg(RankTotals.input_us).label("input_us"),
        )
        .join(Attempt, Attempt.id == RankTotals.attempt_id)
        .where(Attempt.job_id == job_id)
        .group_by(RankTotals.attempt_id)
        .subquery()
    )
    rates = func.sum(attempt.c.samples) / func.nullif(func.sum(attempt.c.duration_us), 0.0)
    names = ("duration_us", "steps", "compute_us", "communication_us", "exposed_us", "input_us")
    query = select(rates, *(func.sum(attempt.c[name]) for name in names))
    per_us, all_us, steps, compute_us, communication_us, exposed_us, input_us = (await session.execute(query)).one()
    return {
        "samples_per_second": per_us * 1e6 if per_us else None,
        "step_seconds": _seconds(all_us),
        "timed_steps": steps or None,
        "compute_seconds": _seconds(compute_us),
        "communication_seconds": _seconds(communication_us),
        # Without any observed sum, the time that ranks waited for sums is unknown and not 0.
        "exposed_communication_seconds": _seconds(exposed_us) if communication_us else None,
        "input_seconds": _seconds(input_us),
    }


def _seconds(time_us: float | None) -> float | None:
    return None if time_us is None else time_us * 1e-6


async def _take_epochs(
    session: AsyncSession, job: Job, summary: TrainingSummary, told: Sequence[training_record.Epoch]
) -> None:
    spec = valid_spec(job)
    if spec is None:
        return  # the epochs themselves are stored; its attempt is being stopped
    _take_epoch(summary, await _last_epoch(session, job.id), spec)
    summary.scaling_baseline_job_id = await scaling.baseline_job(session, spec)
    target = spec.training.target_accuracy if spec.training else None
    # Only epochs that reach it can be the first one, and summing all before it takes longer the more there are.
    if target is not None and any((epoch.validation_accuracy or 0.0) >= target for epoch in told):
        summary.seconds_to_target = summary.seconds_to_target or await _seconds_to_target(session, job.id, target)


async def _last_epoch(session: AsyncSession, job_id: int) -> Epoch:
    return (await session.scalars(select(Epoch).where(Epoch.job_id == job_id).order_by(Epoch.id.desc()).limit(1))).one()


def _take_epoch(summary: TrainingSummary, epoch: Epoch, spec: JobSpec) -> None:
    summary.epochs_done = epoch.epoch
    summary.loss = epoch.training_loss
    summary.validation_loss = epoch.validation_loss
    summary.validation_accuracy = epoch.validation_accuracy
    if spec.training is not None:
        limit = spec.training.max_steps
        total = epoch.step // max(1, epoch.epoch) * spec.training.epochs
        # The last epoch is partial if the limit cut it off.
        summary.steps_total = total if limit is None else limit if epoch.step >= limit else min(limit, total)


async def _seconds_to_target(session: AsyncSession, job_id: int, target: float) -> float | None:
    """Return the time of the epochs up to the first that reached the target, with validation and checkpoints."""
    kept = kept_epochs(job_id).subquery()
    reached = select(func.min(kept.c.epoch)).where(kept.c.validation_accuracy >= target).scalar_subquery()
    took_us = func.sum(kept.c.duration_us + kept.c.validation_us + kept.c.checkpoint_us)
    return _seconds(await session.scalar(select(took_us).where(kept.c.epoch <= reached)))
