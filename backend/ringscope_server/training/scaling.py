"""The scaling of a job relative to one rank alone."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.environment import digest
from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import LOCAL_SGD, MIRRORED, PIPELINE, SHARDED, TENSOR
from ringscope.contracts.words.job_states import TERMINAL
from ringscope_server.db.models import Job
from ringscope_server.db.specs import valid_spec
from ringscope_server.jobs.disturbed import IS_DISTURBED
from ringscope_server.jobs.views import TrainingSummary

# The number of the newest jobs that are searched.
MAX_JOBS = 200
# The fields that two jobs must have in common for their samples to be comparable.
SAME = ("model", "model_arguments", "dataset", "device", "precision", "compile")
_OURS = MIRRORED | LOCAL_SGD | SHARDED | PIPELINE | TENSOR | {"parameter_server"}


async def baseline_job(session: AsyncSession, spec: JobSpec) -> int | None:
    """Return the newest succeeded job of one rank that trains the same; None if there is none.

    A disturbed one counts only if there is no other. A single rank sums nothing, so one job counts for all of our own
    strategies; other libraries need jobs of their own.
    """
    if spec.training is None or spec.placement.ranks == 1:
        return None
    wanted, env = _key(spec.training.model_dump(mode="json")), digest(spec.env)
    query = (
        select(Job.id, Job.spec, IS_DISTURBED)
        .where(
            Job.state == "succeeded", Job.kind == "training", Job.ranks == 1, Job.env_sha256.is_not_distinct_from(env)
        )
        .order_by(Job.id.desc())
        .limit(MAX_JOBS)
    )
    disturbed_id = None
    for job_id, stored, is_disturbed in await session.execute(query):
        if _key(stored["training"]) == wanted:
            if not is_disturbed:
                return int(job_id)
            disturbed_id = disturbed_id or int(job_id)
    return disturbed_id


def _key(training: Mapping[str, Any]) -> list[Any]:
    strategy = training["strategy"]
    # A job of an earlier version lacks fields whose default is false.
    return ["ours" if strategy in _OURS else strategy, *(training.get(name) or None for name in SAME)]


async def efficiency(session: AsyncSession, ranks: int, summary: TrainingSummary) -> float | None:
    """Return the samples per second divided by those of as many ranks at the speed of one rank alone."""
    if summary.scaling_baseline_job_id is None or summary.samples_per_second is None:
        return None
    alone = await session.scalar(select(Job.summary).where(Job.id == summary.scaling_baseline_job_id))
    one_rank = TrainingSummary.model_validate(alone).samples_per_second if alone else None
    return summary.samples_per_second / (ranks * one_rank) if one_rank else None


async def settle(session: AsyncSession, job: Job) -> None:
    """Compare a training job that has just succeeded with one rank alone, if that was not known before its last epoch.

    If it is itself one rank alone, compare the jobs with it that trained the same before it and that have no baseline,
    or only a disturbed one.
    """
    spec = valid_spec(job)
    if spec is None or spec.training is None:
        return
    if job.ranks > 1:
        summary = TrainingSummary.model_validate(job.summary)
        if summary.scaling_baseline_job_id is None:
            await _store(session, job.id, job.ranks, summary, await baseline_job(session, spec))
        return
    wanted = _key(spec.training.model_dump(mode="json"))
    query = (
        select(Job.id, Job.ranks, Job.spec, Job.summary)
        .where(
            Job.state.in_(TERMINAL),
            Job.kind == "training",
            Job.ranks > 1,
            Job.env_sha256.is_not_distinct_from(digest(spec.env)),
        )
        .order_by(Job.id.desc())
        .limit(MAX_JOBS)
    )
    rows = (await session.execute(query)).all()
    one_rank = {job.id, *(row.summary.get("scaling_baseline_job_id") for row in rows)} - {None}
    disturbed = set(await session.scalars(select(Job.id).where(Job.id.in_(one_rank), IS_DISTURBED)))
    lacking = {None} if job.id in disturbed else {None, *disturbed}
    for job_id, ranks, stored, fields in sorted(rows, key=lambda row: row.id):
        summary = TrainingSummary.model_validate(fields)
        if summary.scaling_baseline_job_id in lacking and _key(stored["training"]) == wanted:
            await _store(session, job_id, ranks, summary, job.id)


async def _store(
    session: AsyncSession, job_id: int, ranks: int, summary: TrainingSummary, baseline_id: int | None
) -> None:
    """Store the baseline of an ended job and its efficiency, if there is one."""
    summary.scaling_baseline_job_id = baseline_id
    summary.scaling_efficiency = await efficiency(session, ranks, summary)
    if summary.scaling_efficiency is None:
        return
    fields = summary.model_dump(mode="json")
    stored = update(Job).where(Job.id == job_id).values(summary=fields)
    await session.execute(stored.execution_options(synchronize_session="evaluate"))
