"""The links that sendrecv jobs of one rank on each of two nodes measured."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.machine import shared_cores
from ringscope.judging.mode import DEFAULT
from ringscope_server.db.models import Attempt, Job, Member, Node
from ringscope_server.results.comparable import in_mode
from ringscope_server.results.links.views import LinkView

# A request waits for this: the number of the newest succeeded jobs of two ranks that are searched.
MAX_JOBS = 2_000


async def sendrecv_links(session: AsyncSession, until: datetime | None = None) -> list[LinkView]:
    """Return what each succeeded sendrecv of one rank on each of two nodes measured, newest first."""
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
    if until is not None:
        jobs = jobs.where(Job.finished_at <= until)
    query = (
        select(Job.id, Job.summary, Job.finished_at, Node.name, Attempt.disturbed_by)
        .join(Attempt, Attempt.job_id == Job.id)
        .join(Member, Member.attempt_id == Attempt.id)
        .join(Node, Node.id == Member.node_id)
        # The last attempt of a retried job is the one that gave the rows.
        .where(Job.id.in_(jobs), Attempt.reason == "completed", Node.removed_at.is_(None))
        .order_by(Job.id.desc(), Node.name)
    )
    return list(_of_jobs(await session.execute(query)))


def _of_jobs(rows: Iterable[Any]) -> Iterator[LinkView]:
    by_job: dict[int, tuple[dict[str, Any], datetime | None, str | None, list[str]]] = {}
    for job_id, summary, finished_at, node, disturbed_by in rows:
        by_job.setdefault(job_id, (summary, finished_at, disturbed_by, []))[3].append(node)
    for job_id, (summary, finished_at, disturbed_by, nodes) in by_job.items():
        best = next((row for row in summary["best"] if row["transport"] != "simulated"), None)
        if len(nodes) != 2 or best is None or finished_at is None:
            continue
        told = disturbed_by or shared_cores(summary.get("ranks") or 0, summary.get("cores")) or None
        # Summaries of earlier versions lack some of them.
        fields = {name: value for name, value in best.items() if name in LinkView.model_fields}
        yield LinkView(nodes=nodes, job_id=job_id, measured_at=finished_at, disturbed_by=told, **fields)


def newest_of(measured: Iterable[LinkView]) -> dict[tuple[str, ...], LinkView]:
    """Return the newest link of each pair; a disturbed one counts only until another one has measured the pair."""
    found: dict[tuple[str, ...], LinkView] = {}
    for link in measured:
        known = found.get(pair := tuple(link.nodes))
        if known is None or (known.disturbed_by is not None and link.disturbed_by is None):
            found[pair] = link
    return found
