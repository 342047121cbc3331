"""The speed of training as the newest strategy search measured it."""

from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.environment import digest
from ringscope.contracts.job import JobSpec
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.training import OWN_FIELDS, TrainingSpec
from ringscope.search.candidates import Situation, judged
from ringscope_server.db.models import Attempt, Job, Member
from ringscope_server.db.specs import valid_spec
from ringscope_server.training.scaling import SAME
from ringscope_server.training.search import told_search

# Two jobs on as many ranks must have these fields in common, and those of the samples, to be equally fast.
AS_FAST = ("strategy", "all_reduce", "transport", "global_batch_size", "accumulation_steps")
# Candidates differ in these, too.
_OF_CANDIDATES = (*SAME, *AS_FAST, *OWN_FIELDS, "bucket_bytes", "overlap", "optimizer")
_MAX_SEARCHES = 20


class Speed(NamedTuple):
    """A job, and the speed that it measured."""

    job_id: int
    samples_per_second: float


async def searched_speed(session: AsyncSession, spec: JobSpec, training: TrainingSpec) -> Speed | None:
    """Return the speed of the candidate that trains the same in the same way, from the newest succeeded,
    undisturbed search on as many ranks in the same environment.
    """
    nodes = select(func.count()).where(Member.attempt_id == Attempt.id).scalar_subquery()
    query = (
        select(Job, Attempt.id, nodes)
        .join(Attempt, Attempt.job_id == Job.id)
        .where(
            Job.state == "succeeded",
            Job.kind == "strategy_search",
            Job.ranks == spec.ranks,
            Job.env_sha256.is_not_distinct_from(digest(spec.env)),
            Attempt.reason == "completed",
            Attempt.disturbed_by.is_(None),
        )
        .order_by(Job.id.desc())
        .limit(_MAX_SEARCHES)
    )
    for job, attempt_id, count in await session.execute(query):
        stored = valid_spec(job)
        search = stored and stored.strategy_search
        name = search and _candidate(search, Situation(spec.ranks, count), training)
        if not search or not name:
            continue
        lines = (await told_search(session, attempt_id, search)).verdict().candidates
        if rate := next((line.samples_per_second for line in lines if line.name == name), None):
            return Speed(job.id, rate)
    return None


def _candidate(search: StrategySearchSpec, situation: Situation, training: TrainingSpec) -> str | None:
    """Return the candidate of a search that trains so; None if none does."""
    for each in judged(search, situation).chosen:
        if all(getattr(each.training, name) == getattr(training, name) for name in _OF_CANDIDATES):
            return each.name
    return None
