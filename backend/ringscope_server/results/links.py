"""Measurements between two nodes: the newest of a sendrecv of one rank on each node, and of a diagnosis."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from ringscope.contracts.diagnosis.record import WayRate
from ringscope.contracts.words.machine import shared_cores
from ringscope.judging.mode import DEFAULT
from ringscope_server.db.models import Attempt, Job, LinkMeasurement, Member, Node
from ringscope_server.results.comparable import in_mode

# A request waits for this: the number of the newest succeeded jobs of two ranks that are searched.
MAX_JOBS = 2_000
_NODE_BITS = 31  # size of a node's id
_NODE_MASK = (1 << _NODE_BITS) - 1
_UNSTABLE_SPREAD = 0.2  # single messages that differ so much say little about the link


class LinkWay(BaseModel):
    """The bandwidth from one node of a pair to the other one, as a diagnosis measured it."""

    source: str
    destination: str
    low_gb_per_s: float = Field(description="The lower end of the median's 95 % interval.")
    high_gb_per_s: float
    messages: int = Field(description="The number of timed messages.")


class LinkView(BaseModel):
    """One pair of nodes, and its newest measurement: the fastest row of a sendrecv, or a pair of a diagnosis."""

    nodes: list[str] = Field(description="The two nodes, ordered by name.", min_length=2, max_length=2)
    busbw_gb_per_s: float = Field(
        description="The rate in 1e9 bytes per second at which each node sends and, at the same time, receives; of a "
        "diagnosis the middle of the interval of the slower direction."
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
    measured_at: datetime = Field(description="When the job ended, or when a diagnosis measured the pair.")
    ways: list[LinkWay] = Field([], description="Both directions; empty for a sendrecv, which has one rate for both.")
    latency_us: float | None = Field(None, description="Half the time of a small message and back; null: a sendrecv.")
    both_ways: bool = Field(True, description="Whether both directions were measured at the same time.")
    disturbed_by: str | None = Field(
        None,
        description="A sentence about other jobs or load on the nodes, or ranks that shared cores; null if there was "
        "none. A disturbed job counts for a pair only until an undisturbed one has measured it.",
    )


class LinkPage(BaseModel):
    """Measured pairs, by name; all of them unless a limit was given. Other pairs are not listed."""

    items: list[LinkView]
    next: str | None = None


async def links(
    session: AsyncSession, limit: int | None, after: int | None, until: datetime | None = None
) -> list[tuple[int, LinkView]]:
    """Return every pair of nodes that was measured, with a number for the cursor; simulations do not count.

    A disturbed job, or one whose ranks shared cores, is marked and counts only until another one has measured the pair.
    Jobs that measured in another mode, such as several operations at once, are left out, because they would
    misrepresent the link.

    Args:
        limit: the number of pairs; None for all.
        after: start behind the pair with this number; None starts at the first.
        until: leave out what was measured later.
    """
    found = {tuple(link.nodes): link for link in _newest(await sendrecv_links(session, until))}
    for link in await _of_diagnoses(session, until):
        known = found.get(pair := tuple(link.nodes))
        if known is None or known.measured_at <= link.measured_at:
            found[pair] = link
    numbers = {row.name: row.id for row in await session.execute(select(Node.id, Node.name))}
    names = {number: name for name, number in numbers.items()}
    last = [names.get(after >> _NODE_BITS, ""), names.get(after & _NODE_MASK, "")] if after is not None else []
    listed = [link for _, link in sorted(found.items()) if link.nodes > last]
    return [(numbers[link.nodes[0]] << _NODE_BITS | numbers[link.nodes[1]], link) for link in listed[:limit]]


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


async def measured_rates(session: AsyncSession) -> dict[frozenset[str], float]:
    """Return the bandwidth of each measured pair in GB/s, for the placement by the fastest links."""
    return {frozenset(link.nodes): link.busbw_gb_per_s for _, link in await links(session, None, None)}


async def _of_diagnoses(session: AsyncSession, until: datetime | None) -> list[LinkView]:
    """Return the newest measurement of each pair that a diagnosis measured, without pairs that loaded a boundary."""
    first, second = aliased(Node), aliased(Node)
    counts = LinkMeasurement.ending == "measured", LinkMeasurement.is_loaded.is_(False)
    pair = LinkMeasurement.first_node_id, LinkMeasurement.second_node_id
    # a preflight's messages are too small to say what the link carries
    of_diagnoses = LinkMeasurement.job_id.in_(select(Job.id).where(Job.kind == "diagnosis"))
    newest = select(func.max(LinkMeasurement.id)).where(*counts, of_diagnoses).group_by(*pair)
    if until is not None:
        newest = newest.where(LinkMeasurement.measured_at <= until)
    query = (
        select(LinkMeasurement, first.name, second.name, Attempt.disturbed_by)
        .join(first, first.id == LinkMeasurement.first_node_id)
        .join(second, second.id == LinkMeasurement.second_node_id)
        .join(Attempt, Attempt.id == LinkMeasurement.attempt_id)
        .where(LinkMeasurement.id.in_(newest), first.removed_at.is_(None), second.removed_at.is_(None))
    )
    return [_link(*row) for row in await session.execute(query)]


async def link_history(session: AsyncSession, first: Node, second: Node, limit: int) -> list[LinkView]:
    """Return the newest measurements of one pair of nodes, newest first."""
    low, high = sorted((first, second), key=lambda node: node.id)
    query = (
        select(LinkMeasurement, Attempt.disturbed_by)
        .join(Attempt, Attempt.id == LinkMeasurement.attempt_id)
        .where(
            LinkMeasurement.first_node_id == low.id,
            LinkMeasurement.second_node_id == high.id,
            LinkMeasurement.ending == "measured",
            LinkMeasurement.is_loaded.is_(False),
        )
        .order_by(LinkMeasurement.id.desc())
        .limit(limit)
    )
    found = [_link(row, low.name, high.name, disturbed_by) for row, disturbed_by in await session.execute(query)]
    names = sorted((first.name, second.name))
    found += [link for link in await sendrecv_links(session) if link.nodes == names]
    return sorted(found, key=lambda link: (link.measured_at, link.job_id), reverse=True)[:limit]


def _link(row: LinkMeasurement, first: str, second: str, disturbed_by: str | None) -> LinkView:
    ways = [_way(first, second, row.there), _way(second, first, row.back)]
    slower = min(ways, key=lambda way: way.low_gb_per_s + way.high_gb_per_s)
    return LinkView(
        nodes=sorted((first, second)),
        busbw_gb_per_s=(slower.low_gb_per_s + slower.high_gb_per_s) / 2,
        size_bytes=row.size_bytes,
        iterations=min(way.messages for way in ways),
        is_unstable=max(rate["spread"] for rate in (row.there, row.back) if rate) > _UNSTABLE_SPREAD,
        algorithm="diagnosis",
        transport="mpi",
        job_id=row.job_id,
        measured_at=row.measured_at,
        ways=ways,
        latency_us=row.latency_us,
        both_ways=row.both_ways,
        disturbed_by=disturbed_by,
    )


def _way(source: str, destination: str, rate: dict[str, Any] | None) -> LinkWay:
    told = WayRate.model_validate(rate)
    return LinkWay(
        source=source,
        destination=destination,
        low_gb_per_s=told.low / 1e9,
        high_gb_per_s=told.high / 1e9,
        messages=told.messages,
    )


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


def _newest(measured: Iterable[LinkView]) -> list[LinkView]:
    found: dict[tuple[str, ...], LinkView] = {}
    for link in measured:
        known = found.get(pair := tuple(link.nodes))
        if known is None or (known.disturbed_by is not None and link.disturbed_by is None):
            found[pair] = link
    return [found[pair] for pair in sorted(found)]
