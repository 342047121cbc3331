"""The decision whether an ended attempt is followed by another one: when, and on which nodes not."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.elastic import LOSSES
from ringscope.contracts.job import JobSpec, Placement
from ringscope_server.db.models import Attempt, RankTotals
from ringscope_server.db.specs import valid_spec
from ringscope_server.diagnoses.reach import LINKS_CUT
from ringscope_server.jobs.reasons import REASONS, Reason
from ringscope_server.jobs.summary import empty
from ringscope_server.jobs.transitions import transition
from ringscope_server.nodes.queries import all_nodes
from ringscope_server.placement.capacity import capacity_errors
from ringscope_server.placement.snapshot import WorkPlacement
from ringscope_server.training.search import told_search

FIRST_BACKOFF_SECONDS = 5
LONGEST_BACKOFF_SECONDS = 300


@dataclass(frozen=True)
class Next:
    """The next attempt: the seconds to wait, and the nodes to avoid if others can hold the gang."""

    backoff_seconds: int
    excluded: tuple[str, ...]


def backoff_seconds(tries: int) -> int:
    """Return the seconds to wait after this number of attempts: 5, 10, 20 … and never more than 5 minutes."""
    return int(min(FIRST_BACKOFF_SECONDS * 2 ** (tries - 1), LONGEST_BACKOFF_SECONDS))


def decide(reason: Reason, tries: int, max_attempts: int, excluded: tuple[str, ...], has_room: bool) -> Next | None:
    """Return the next attempt, or None if the job has had its last one.

    ``tries`` is the number of attempts that count, this one included; ``has_room`` tells whether the cluster could hold
    the gang without the excluded nodes.
    """
    if reason.retry == "always":
        return Next(0, excluded)
    if reason.retry == "never" or tries >= max_attempts or (reason.retry == "elsewhere" and not has_room):
        return None
    return Next(backoff_seconds(max(1, tries)), excluded)


async def requeue(session: AsyncSession, attempt: Attempt, reason: Reason, message: str, now: datetime) -> bool:
    """Put the job of an ended attempt into the queue again, if it may be retried."""
    job, spec = attempt.job, valid_spec(attempt.job)
    if spec is None:
        return False
    if spec.training is not None and reason.costs_no_progress:
        reason = replace(reason, retry="again")
    if reason.retry == "never" and not reason.is_servers and await _costs_a_run(session, attempt.id, spec):
        reason = replace(reason, retry="again")
    if await _survives(session, attempt, spec, reason) or _is_diagnosed_without(attempt, spec, reason):
        reason = replace(reason, retry="always")
    if reason.retry == "never":
        return False
    bad = [] if attempt.bad_node is None else [attempt.bad_node]
    excluded = tuple(dict.fromkeys([*job.excluded_nodes, *bad]))
    tries, has_room = await _counted(session, job.id, spec), await _has_room(session, WorkPlacement.of(spec), excluded)
    following = decide(reason, tries, spec.max_attempts, excluded, has_room)
    if following is None:
        return False
    not_before = now + timedelta(seconds=following.backoff_seconds) if following.backoff_seconds else None
    sentence = _sentence(attempt, tries if reason.counts else None, spec.max_attempts, message, not_before)
    return await transition(
        session,
        job.id,
        "requeued",
        now,
        message=sentence,
        not_before=not_before,
        excluded_nodes=list(following.excluded),
        pending_reason="backoff" if not_before else reason.name,
        pending_sentence=sentence,
        **_forgotten(spec),
    )


def _forgotten(spec: JobSpec) -> dict[str, Any]:
    """Return columns that clear the job's results for the next attempt, unless that continues them; the attempt's rows
    stay.
    """
    if spec.benchmark is None:
        return {}
    return {"rows_done": 0, "summary": empty(spec.kind).model_dump(mode="json"), "busbw_gb_per_s": None}


async def _survives(session: AsyncSession, attempt: Attempt, spec: JobSpec, reason: Reason) -> bool:
    """Return whether an elastic job continues at once: it lost a rank, and this attempt had made steps.

    An attempt without a step counts, so that a job that is always killed at its start ends.
    """
    if spec.placement.min_ranks is None or reason.name not in LOSSES:
        return False
    return bool(await session.scalar(select(exists().where(RankTotals.attempt_id == attempt.id))))


def _is_diagnosed_without(attempt: Attempt, spec: JobSpec, reason: Reason) -> bool:
    """Return whether a diagnosis of named nodes continues without a lost node, or one that others do not reach.

    Two nodes at least must be left.

    The node becomes the one to blame, so that each attempt has one node less.
    """
    if spec.diagnosis is None or not spec.placement.node_names or reason.name not in LOSSES | {LINKS_CUT}:
        return False
    of_rank = {member.first_rank: member.node.name for member in attempt.members}
    node = attempt.bad_node or of_rank.get(-1 if attempt.bad_rank is None else attempt.bad_rank)
    if node is None or node not in of_rank.values() or len(of_rank) < 3:
        return False
    attempt.bad_node = node
    return True


async def _costs_a_run(session: AsyncSession, attempt_id: int, spec: JobSpec) -> bool:
    """Return whether a search ended during a run: the next attempt counts that run as failed, and continues."""
    if spec.strategy_search is None:
        return False
    return (await told_search(session, attempt_id, spec.strategy_search)).running is not None


async def _counted(session: AsyncSession, job_id: int, spec: JobSpec) -> int:
    """Return the number of attempts of a job that count against its limit."""
    free = [reason.name for reason in REASONS if reason.retry == "always"]
    query = select(func.count()).where(Attempt.job_id == job_id, Attempt.reason.not_in(free))
    if spec.placement.min_ranks is not None:
        has_steps = exists().where(RankTotals.attempt_id == Attempt.id)
        query = query.where(~(Attempt.reason.in_(LOSSES) & has_steps))
    return (await session.scalar(query) or 0) - await _uncounted(session, job_id)


async def _uncounted(session: AsyncSession, job_id: int) -> int:
    """Return the number of attempts that do not count because each of them found another node to leave out."""
    uncounted = [reason.name for reason in REASONS if not reason.counts]
    nodes = select(func.count(Attempt.bad_node.distinct()))
    return await session.scalar(nodes.where(Attempt.job_id == job_id, Attempt.reason.in_(uncounted))) or 0


async def _has_room(session: AsyncSession, placement: Placement, excluded: tuple[str, ...]) -> bool:
    """Return whether the empty cluster could hold the gang without these nodes."""
    return not capacity_errors(placement, [node for node in await all_nodes(session) if node.name not in excluded])


def _sentence(attempt: Attempt, tries: int | None, max_attempts: int, message: str, not_before: datetime | None) -> str:
    """Return why the job waits; ``tries`` is None if the attempt does not count."""
    if not_before is not None and tries is None:
        return f"Tries again at {not_before:%H:%M:%S} UTC; attempt {attempt.number} does not count: {message}"
    if not_before is None:
        return f"Waits to be started again after attempt {attempt.number}: {message}"
    return f"Tries again at {not_before:%H:%M:%S} UTC after attempt {tries} of {max_attempts}: {message}"
