"""The scaling of a job relative to one rank alone."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.environment import digest
from ringscope.contracts.job import JobSpec
from ringscope.contracts.training import LOCAL_SGD, MIRRORED, PIPELINE, SHARDED, TENSOR
from ringscope_server.db.models import Job
from ringscope_server.jobs.views import TrainingSummary

# The number of the newest jobs that are searched.
MAX_JOBS = 200
# The fields that two jobs must have in common for their samples to be comparable.
SAME = ("model", "model_arguments", "dataset", "device", "precision", "compile")
_OURS = MIRRORED | LOCAL_SGD | SHARDED | PIPELINE | TENSOR | {"parameter_server"}


async def baseline_job(session: AsyncSession, spec: JobSpec) -> int | None:
    """Return the newest succeeded job of one rank that trains the same; None if there is none.

    A single rank sums nothing, so one job counts for all of our own strategies; other libraries need jobs of their own.
    """
    if spec.training is None or spec.placement.ranks == 1:
        return None
    wanted, env = _key(spec.training.model_dump(mode="json")), digest(spec.env)
    query = (
        select(Job.id, Job.spec)
        .where(
            Job.state == "succeeded", Job.kind == "training", Job.ranks == 1, Job.env_sha256.is_not_distinct_from(env)
        )
        .order_by(Job.id.desc())
        .limit(MAX_JOBS)
    )
    for job_id, stored in await session.execute(query):
        if _key(stored["training"]) == wanted:
            return int(job_id)
    return None


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
