"""Elastic jobs that wait for their next attempt: the last one tells how many ranks the next one may have."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.elastic import KILLED, LOSSES, RESIZED
from ringscope_server.db.models import Attempt, Member, Node


@dataclass(frozen=True, slots=True)
class Continuation:
    """A job that continues.

    Args:
        most_ranks: None if the next attempt may have all of its ranks.
        nodes: the names of the nodes of its last attempt.
    """

    most_ranks: int | None
    nodes: frozenset[str]


async def after_last_attempt(session: AsyncSession, min_ranks: Mapping[int, int]) -> dict[int, Continuation]:
    """Return the elastic jobs of which a lost rank, or more slots, ended the last attempt.

    Args:
        min_ranks: by job, the fewest ranks that it may have.
    """
    if not min_ranks:
        return {}
    last = select(func.max(Attempt.id)).where(Attempt.job_id.in_(min_ranks)).group_by(Attempt.job_id)
    query = (
        select(Attempt.job_id, Attempt.reason, Node.name, Member.slots)
        .join(Member, Member.attempt_id == Attempt.id)
        .join(Node)
        .where(Attempt.id.in_(last), Attempt.reason.in_(LOSSES | {RESIZED}))
    )
    reasons, ranks = dict[int, str | None](), defaultdict[int, dict[str, int]](dict)
    for job_id, reason, node, slots in await session.execute(query):
        reasons[job_id] = reason
        ranks[job_id][node] = slots
    return {
        job_id: Continuation(
            max(min_ranks[job_id], sum(on_nodes.values()) - 1) if reasons[job_id] == KILLED else None,
            frozenset(on_nodes),
        )
        for job_id, on_nodes in ranks.items()
    }
