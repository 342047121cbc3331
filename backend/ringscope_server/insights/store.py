"""The table of insights: they are opened, completed and closed, each with its event in the same transaction.

The caller that opens an insight holds the lock on the job's row, so that no insight is opened twice.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from ringscope.contracts.columns import cut
from ringscope.contracts.protocol import RankEvidence
from ringscope_server.db.models import Attempt, Insight
from ringscope_server.events import audit
from ringscope_server.insights import recorder
from ringscope_server.insights.kinds import MAX_ACTIVE, Finding, Key, key_of
from ringscope_server.insights.views import InsightDetail

MAX_OF_JOB = 200  # an insight may come and go for days
MAX_MESSAGE_CHARACTERS = 1_000
MAX_STACKS = 64
MAX_STACK_CHARACTERS = 65_536  # the stacks of one insight


async def open_new(
    session: AsyncSession, job_id: int, attempt_id: int, findings: Iterable[Finding], now: datetime
) -> list[Insight]:
    """Add the findings that are not there yet, up to the limits. The job's row is locked."""
    by_key = {finding.key: finding for finding in findings}  # the last of several windows counts
    if not by_key:
        return []
    known = {key_of_row(insight) for insight in await active(session, [job_id])}
    total = await session.scalar(select(func.count()).where(Insight.job_id == job_id)) or 0
    fresh = [finding for key, finding in by_key.items() if key not in known]
    opened = []
    for finding in fresh[: max(0, min(MAX_ACTIVE - len(known), MAX_OF_JOB - total))]:
        insight = Insight(
            job_id=job_id,
            attempt_id=attempt_id,
            kind=finding.kind,
            rank=finding.rank,
            node=finding.node,
            message=cut(finding.message, MAX_MESSAGE_CHARACTERS),
            evidence=finding.evidence,
            since=now,
            until=None,
        )
        session.add(insight)
        opened.append(insight)
        _record(session, insight, "insight_opened", now)
    await session.flush()
    return opened


async def close(session: AsyncSession, attempt_id: int, keys: Collection[Key] | None, now: datetime) -> list[Insight]:
    """Close the insights of an attempt with these keys; without keys all of them."""
    query = select(Insight).where(Insight.attempt_id == attempt_id, Insight.until.is_(None))
    closed = []
    for insight in await session.scalars(query.order_by(Insight.id).with_for_update(key_share=True)):
        if keys is None or key_of_row(insight) in keys:
            insight.until = now
            closed.append(insight)
            _record(session, insight, "insight_closed", now)
    return closed


async def active(session: AsyncSession, job_ids: Collection[int] | None = None) -> Sequence[Insight]:
    """Return the active insights of these jobs, or of all jobs."""
    query = select(Insight).where(Insight.until.is_(None)).order_by(Insight.id)
    if job_ids is not None:
        query = query.where(Insight.job_id.in_(job_ids))
    return (await session.scalars(query)).all()


async def of_job(session: AsyncSession, job_id: int) -> list[InsightDetail]:
    """Return all insights of a job with their evidence, oldest first."""
    query = select(Insight).where(Insight.job_id == job_id).order_by(Insight.id).options(undefer(Insight.evidence))
    return [InsightDetail.model_validate(row, from_attributes=True) for row in await session.scalars(query)]


async def add_stacks(session: AsyncSession, attempt: Attempt, node: str, taken: Sequence[RankEvidence]) -> None:
    """Add the stacks of a node's ranks to the hang for which they were requested, up to the limits."""
    query = select(Insight).where(Insight.attempt_id == attempt.id, Insight.kind == "hang").order_by(Insight.id.desc())
    query = query.options(undefer(Insight.evidence)).limit(1).with_for_update(key_share=True)
    insight = await session.scalar(query)
    if insight is None:
        return
    kept: list[dict[str, Any]] = [stack for stack in insight.evidence.get("stacks", []) if stack["node"] != node]
    room = MAX_STACK_CHARACTERS - sum(len(stack["stack"]) for stack in kept)
    for one in taken:
        if len(kept) < MAX_STACKS and len(one.stack) <= room:
            kept.append({"node": node} | one.model_dump(exclude={"dump"}))
            room -= len(one.stack)
    insight.evidence = insight.evidence | {"stacks": sorted(kept, key=lambda stack: stack["rank"])}
    _add_dumps(insight, taken)


def _add_dumps(insight: Insight, taken: Sequence[RankEvidence]) -> None:
    """Add what the ranks' Flight Recorder dumps say together, and an excerpt; the answer also ends the message."""
    dumps = recorder.gathered(insight.evidence.get("dumps", {}), taken)
    if not dumps:
        return
    insight.evidence = insight.evidence | {"dumps": recorder.shortened(dumps)}
    if (found := recorder.explained(dumps)) is None:
        return
    before = insight.evidence.get("flight_recorder", {}).get("answer")
    message = insight.message.removesuffix(_told(before)) if before else insight.message
    insight.evidence = insight.evidence | {"flight_recorder": found}
    insight.message = cut(message + _told(found["answer"]), MAX_MESSAGE_CHARACTERS)


def _told(answer: str) -> str:
    return f" Flight Recorder: {answer}"


def key_of_row(insight: Insight) -> Key:
    """Return the key of what the insight is about, within its job."""
    return key_of(insight.kind, insight.rank, insight.node)


def _record(session: AsyncSession, insight: Insight, word: str, now: datetime) -> None:
    target, message = ("job", insight.job_id), insight.message
    audit.record(session, now, audit.SYSTEM, f"job.{word}", target, after=insight.kind, message=message)
