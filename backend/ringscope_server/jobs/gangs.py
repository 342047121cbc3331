"""Gangs: from an assignment to proven-free slots, driven by what the agents report."""

import secrets
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload

from ringscope.protocol import Report
from ringscope.spec import JobSpec
from ringscope_server.db.models import Allocation, Attempt, Job, Measurement, Member, Node
from ringscope_server.events import log
from ringscope_server.jobs.states import ACTIVE, outcome
from ringscope_server.jobs.transitions import transition
from ringscope_server.scheduler.placement import Share


async def start(session: AsyncSession, job_id: int, shares: Sequence[Share], now: datetime) -> bool:
    """Give a queued job its slots, all or none; False when the job is no longer queued."""
    if not await transition(session, job_id, "starting", now):
        return False
    number = await session.scalar(select(func.count()).where(Attempt.job_id == job_id))
    attempt = Attempt(
        job_id=job_id,
        number=(number or 0) + 1,
        token=secrets.token_hex(16),
        created_at=now,
        started_at=None,
        finished_at=None,
    )
    session.add(attempt)
    await session.flush()
    rank = 0
    for index, share in enumerate(shares):
        session.add(
            Member(
                attempt_id=attempt.id,
                member=index,
                node_id=share.node_id,
                slots=len(share.slots),
                first_rank=rank,
                phase="assigned",
                proxy=None,
            )
        )
        for slot in share.slots:
            session.add(Allocation(attempt_id=attempt.id, rank=rank, node_id=share.node_id, slot=slot, is_active=True))
            rank += 1
    return True


async def load(session: AsyncSession, attempt_id: int) -> Attempt | None:
    """An attempt with its members, their nodes and its job."""
    return await session.scalar(
        select(Attempt)
        .where(Attempt.id == attempt_id)
        .options(joinedload(Attempt.job), selectinload(Attempt.members).joinedload(Member.node))
    )


async def apply_report(session: AsyncSession, attempt: Attempt, member: Member, report: Report, now: datetime) -> None:
    """Take one agent's news of its share of a gang. Old news changes nothing."""
    match report.event:
        case "ready":
            _advance(member, "ready")
            if attempt.job.state == "starting" and all(other.phase == "ready" for other in attempt.members):
                attempt.is_launched = True
        case "proxies":
            for other, proxy in zip(attempt.members, report.proxies, strict=False):
                other.proxy = other.proxy or proxy.model_dump()
        case "running":
            _advance(member, "running")
            if all(_PHASES.index(other.phase) >= _PHASES.index("running") for other in attempt.members):
                await _all_running(session, attempt, now)
        case "refused":
            _advance(member, "ended")
            sentence = f"Node {member.node.name} cannot run it: {report.message}"
            await stop(session, attempt.job_id, "launch_failed", sentence, now)
        case "ended":
            _advance(member, "ended")
            await _ended(session, attempt, report, now)
        case "clean":
            _advance(member, "clean")
            await _release(session, member)


async def stop(
    session: AsyncSession, job_id: int, reason: str, message: str, now: datetime, actor: str = log.SYSTEM
) -> bool:
    """End a job that was started: its agents now clean up. The first reason given is the one that stays."""
    return await transition(session, job_id, "stopping", now, actor=actor, reason=reason, message=message)


async def finish_if_clean(session: AsyncSession, attempt: Attempt, now: datetime) -> bool:
    """Bring a stopping job to its end state once no node that can be asked still holds a part of it.

    A lost node cannot be asked: it does not keep the job open, but its slots stay taken until it has proven them
    free.
    """
    if attempt.job.state != "stopping":
        return False
    if any(member.phase != "clean" and member.node.observed != "lost" for member in attempt.members):
        return False
    attempt.finished_at = now
    reason, message = await _final_reason(session, attempt)
    return await transition(session, attempt.job_id, outcome(reason), now, reason=reason, message=message)


_PHASES = ("assigned", "ready", "running", "ended", "clean")


def _advance(member: Member, phase: str) -> None:
    # Reports may repeat or overtake each other; a member only ever moves forward.
    if _PHASES.index(phase) > _PHASES.index(member.phase):
        member.phase = phase


async def _all_running(session: AsyncSession, attempt: Attempt, now: datetime) -> None:
    if await transition(session, attempt.job_id, "running", now):
        attempt.started_at = now


async def _ended(session: AsyncSession, attempt: Attempt, report: Report, now: datetime) -> None:
    if attempt.job.state not in ACTIVE:
        return
    reason = report.reason or "rank_exit"
    all_ended = all(_PHASES.index(other.phase) >= _PHASES.index("ended") for other in attempt.members)
    if reason != "completed" or all_ended:
        await stop(session, attempt.job_id, reason, report.message, now)


async def _release(session: AsyncSession, member: Member) -> None:
    await session.execute(
        update(Allocation)
        .where(Allocation.attempt_id == member.attempt_id, Allocation.node_id == member.node_id)
        .values(is_active=False)
    )


async def _final_reason(session: AsyncSession, attempt: Attempt) -> tuple[str, str]:
    """The reason a job ends for: rows can only make it worse. A wrong sum never succeeds, nor does a missing row."""
    job = attempt.job
    assert job.reason is not None, "stopping always has a reason"
    if job.reason not in ("completed", "verification_failed"):
        return job.reason, job.message
    rows, wrong = (
        await session.execute(
            select(func.count(), func.coalesce(func.sum(Measurement.wrong), 0)).where(
                Measurement.attempt_id == attempt.id
            )
        )
    ).one()
    if wrong or job.reason == "verification_failed":
        return "verification_failed", job.message or f"The result check found {wrong} wrong elements."
    expected = JobSpec.model_validate(job.spec).benchmark.measurement_count()
    if rows != expected:
        return "results_missing", f"The ranks ended, but only {rows} of {expected} rows of the sweep arrived."
    return "completed", ""


async def active_attempts(session: AsyncSession) -> Sequence[Attempt]:
    """Every attempt whose job is between start and end."""
    return (
        await session.scalars(
            select(Attempt)
            .join(Job)
            .where(Job.state.in_(ACTIVE), Attempt.finished_at.is_(None))
            .options(joinedload(Attempt.job), selectinload(Attempt.members).joinedload(Member.node))
        )
    ).all()


def nodes_of(attempt: Attempt) -> list[Node]:
    """The nodes of a gang, in rank order."""
    return [member.node for member in attempt.members]
