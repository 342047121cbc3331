"""Measurements between two nodes: the newest sendrecv of one rank on each node that used both nodes exclusively."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.machine import shared_cores
from ringscope.judging.mode import DEFAULT
from ringscope_server.db.models import Attempt, Job, Member, Node
from ringscope_server.results.comparable import in_mode

# A request waits for this: the number of the newest succeeded jobs of two ranks that are searched.
MAX_JOBS = 2_000


class LinkView(BaseModel):
    """One pair of nodes, and the fastest row of the newest job that measured it."""

    nodes: list[str] = Field(description="The two nodes, ordered by name.", min_length=2, max_length=2)
    busbw_gb_per_s: float = Field(
        description="The rate in 1e9 bytes per second at which each node sends and, at the same time, receives."
    )
    size_bytes: int
    iterations: int | None = Field(
        None, description="The timed iterations of that row; null for jobs of earlier versions."
    )
    is_unstable: bool = Field(
        False, description="Whether the iterations of that row differ so much that their mean says little."
    )
    algorithm: str
    transport: str
    job_id: int
    measured_at: datetime = Field(description="When the job ended.")
    disturbed_by: str | None = Field(
        None,
        description="A sentence about other jobs or load on the nodes, or ranks that shared cores; null if there was "
        "none. A disturbed job counts for a pair only until an undisturbed one has measured it.",
    )


class LinkPage(BaseModel):
    """Measured pairs, by name; all of them unless a limit was given. Other pairs are not listed."""

    items: list[LinkView]
    next: str | None = None


async def links(session: AsyncSession, limit: int | None, after: int | None) -> list[LinkView]:
    """Return every pair of nodes that a succeeded job of this kind measured; simulations do not count.

    A disturbed job, or one whose ranks shared cores, is marked and counts only until another one has measured the pair.
    Jobs that measured in another mode, such as several operations at once, are left out, because they would
    misrepresent the link.

    Args:
        limit: the number of pairs; None for all.
        after: start behind the pair of this job, which another job may have measured since; None starts at the first.
    """
    jobs = (
        select(Job.id)
        .where(
            Job.state == "succeeded",
            Job.ranks == 2,
            Job.kind == "benchmark",
            Job.collective == "sendrecv",
            *in_mode(DEFAULT),
        )
        .order_by(Job.id.desc())
        .limit(MAX_JOBS)
    )
    query = (
        select(Job.id, Job.summary, Job.finished_at, Node.name, Attempt.disturbed_by)
        .join(Attempt, Attempt.job_id == Job.id)
        .join(Member, Member.attempt_id == Attempt.id)
        .join(Node, Node.id == Member.node_id)
        # The last attempt of a retried job is the one that gave the rows.
        .where(Job.id.in_(jobs), Attempt.reason == "completed", Node.removed_at.is_(None))
        .order_by(Job.id.desc(), Node.name)
    )
    found = _newest(await session.execute(query))
    if after is not None:
        last = await _pair(session, after)
        found = [link for link in found if link.nodes > last]
    return found[:limit]


async def measured_rates(session: AsyncSession) -> dict[frozenset[str], float]:
    """Return the bandwidth of each measured pair in GB/s, for the placement by the fastest links."""
    return {frozenset(link.nodes): link.busbw_gb_per_s for link in await links(session, None, None)}


async def _pair(session: AsyncSession, job_id: int) -> list[str]:
    """Return the nodes on which a job succeeded, by name; they may have been removed since."""
    query = (
        select(Node.name)
        .join(Member, Member.node_id == Node.id)
        .join(Attempt, Attempt.id == Member.attempt_id)
        .where(Attempt.job_id == job_id, Attempt.reason == "completed")
        .order_by(Node.name)
    )
    return [*await session.scalars(query)]


def _newest(rows: Iterable[Any]) -> list[LinkView]:
    by_job: dict[int, tuple[dict[str, Any], datetime | None, str | None, list[str]]] = {}
    for job_id, summary, finished_at, node, disturbed_by in rows:
        by_job.setdefault(job_id, (summary, finished_at, disturbed_by, []))[3].append(node)
    found: dict[tuple[str, ...], LinkView] = {}
    for job_id, (summary, finished_at, disturbed_by, nodes) in by_job.items():
        best = next((row for row in summary["best"] if row["transport"] != "simulated"), None)
        if len(nodes) != 2 or best is None or finished_at is None:
            continue
        told = disturbed_by or shared_cores(summary.get("ranks") or 0, summary.get("cores")) or None
        known = found.get(tuple(nodes))
        if known is not None and (known.disturbed_by is None or told is not None):
            continue
        # Summaries of earlier versions lack some of them.
        fields = {name: value for name, value in best.items() if name in LinkView.model_fields}
        found[tuple(nodes)] = LinkView(nodes=nodes, job_id=job_id, measured_at=finished_at, disturbed_by=told, **fields)
    return [found[pair] for pair in sorted(found)]
