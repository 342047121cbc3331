"""Gangs: from an assignment to proven-free slots, driven by what the agents report."""

import logging
import secrets
from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload

from ringscope.contracts.protocol import Report
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.job_states import ACTIVE
from ringscope.judging.mode import DEFAULT, mode_of
from ringscope_server.attempts import disturbance, quarantine, retries, verdicts
from ringscope_server.attempts.verdicts import Verdict
from ringscope_server.db.bulk import insert_rows
from ringscope_server.db.faults import is_passing
from ringscope_server.db.models import Allocation, Attempt, Job, Member, Node
from ringscope_server.db.specs import read_spec, spec_of
from ringscope_server.diagnoses import reach
from ringscope_server.diagnoses.service import tell_blame
from ringscope_server.events import audit
from ringscope_server.insights import stall, store
from ringscope_server.jobs.reasons import reason_of, told_by_node
from ringscope_server.jobs.summary import measured_busbw_gb_per_s
from ringscope_server.jobs.transitions import locked, transition
from ringscope_server.placement.snapshot import Share
from ringscope_server.training import scaling

log = logging.getLogger(__name__)

MISTAKE = "The server made a mistake; its log has the details."
_MEMBER = ("attempt_id", "member", "node_id", "slots", "first_rank", "phase", "last_sequence")
_ALLOCATION = ("attempt_id", "rank", "node_id", "slot", "is_active")


async def start(
    session: AsyncSession,
    job_id: int,
    shares: Sequence[Share],
    now: datetime,
    tuning: Table | None = None,
    placed_because: str = "",
) -> bool:
    """Give a queued job all of its slots or none; return False if the job is no longer queued.

    ``tuning`` is the table by which its ``auto`` chooses, if it has one. ``placed_because`` is a sentence on the choice
    of its nodes.
    """
    spec = await read_spec(session, job_id)
    ranks, asked = sum(len(share.slots) for share in shares), spec.placement.ranks
    fewer = "" if ranks == asked else f"Starts with {ranks} of {asked} ranks."
    message = " ".join(filter(None, (fewer, placed_because)))
    if not await transition(session, job_id, "starting", now, message=message, ranks=ranks):
        return False
    number = await session.scalar(select(func.count()).where(Attempt.job_id == job_id))
    attempt = Attempt(
        job_id=job_id,
        number=(number or 0) + 1,
        token=secrets.token_hex(16),
        created_at=now,
        tuning=tuning and tuning.model_dump(mode="json"),
        progressed_at=None,
        disturbed_by=await disturbance.neighbours(session, spec, (share.node_id for share in shares)),
        started_at=None,
        finished_at=None,
    )
    session.add(attempt)
    await session.flush()
    firsts = accumulate((len(share.slots) for share in shares), initial=0)
    members = [
        (attempt.id, index, share.node_id, len(share.slots), first, "assigned", 0)
        for index, (share, first) in enumerate(zip(shares, firsts, strict=False))
    ]
    places = [(share.node_id, slot) for share in shares for slot in share.slots]
    given = [(attempt.id, rank, node_id, slot, True) for rank, (node_id, slot) in enumerate(places)]
    await insert_rows(session, Member, _MEMBER, members)
    await insert_rows(session, Allocation, _ALLOCATION, given)
    return True


async def load(session: AsyncSession, attempt_id: int) -> Attempt | None:
    """Load an attempt with its members, their nodes and its job, which is locked: one report of a gang at a time
    decides.
    """
    job_id = await session.scalar(select(Attempt.job_id).where(Attempt.id == attempt_id))
    if job_id is None:
        return None
    await locked(session, job_id)
    query = select(Attempt).where(Attempt.id == attempt_id).options(*_WITH_GANG)
    return await session.scalar(query.execution_options(populate_existing=True))


async def apply_report(session: AsyncSession, attempt: Attempt, member: Member, report: Report, now: datetime) -> None:
    """Process an agent's report on its part of a gang. An old report changes nothing."""
    match report.event:
        case "clean":
            if attempt.finished_at is None and member.phase in ("assigned", "ready", "running"):
                sentence = f"Node {member.node.name} has nothing of it left and did not say how it ended."
                await _stop_for(session, attempt, member, report, "rank_exit", sentence, now)
            _advance(member, "clean", now)
            if all(other.phase == "clean" for other in attempt.members):
                attempt.token = ""  # no process is left to be found by it
            await _release(session, member)
            await quarantine.lift(session, member, now)
        case "unclean":
            if _advance(member, "quarantined", now):
                await quarantine.impose(session, member, report.message, now)
        case "evidence":
            await store.add_stacks(session, attempt, member.node.name, report.evidence)
        case _ if attempt.finished_at is None:
            await _follow(session, attempt, member, report, now)


async def stop(
    session: AsyncSession,
    job_id: int,
    reason: str,
    message: str,
    now: datetime,
    actor: str = audit.SYSTEM,
    bad_node: str | None = None,
    bad_rank: int | None = None,
    is_hearsay: bool = False,
) -> bool:
    """End a started job: its agents now clean up. The first reason stays, unless it is hearsay.

    ``bad_node`` is the name of the node to blame, if any, and ``bad_rank`` the rank in question.
    """
    if not await transition(session, job_id, "stopping", now, actor=actor, reason=reason, message=message):
        return False
    await session.execute(
        update(Attempt)
        .where(Attempt.job_id == job_id, Attempt.finished_at.is_(None))
        .values(bad_node=bad_node, bad_rank=bad_rank, is_hearsay=is_hearsay)
    )
    return True


def is_clean(attempt: Attempt) -> bool:
    """Return whether no reachable node still holds a part of a gang.

    A lost node cannot answer, and a node with processes that cannot be ended never becomes clean: neither keeps the job
    open, but the slots stay taken until they are proven free.
    """
    return all(member.phase in ("clean", "quarantined") or member.node.observed == "lost" for member in attempt.members)


async def finish_if_clean(session: AsyncSession, attempt: Attempt, now: datetime) -> bool:
    """Bring a stopping job whose gang is clean to its end state, or back into the queue for another attempt."""
    if attempt.finished_at is not None or attempt.job.state != "stopping" or not is_clean(attempt):
        return False
    found = await _verdict(session, attempt)
    attempt.finished_at, attempt.bad_node = now, found.bad_node
    attempt.reason, attempt.message = found.reason.name, found.message
    await session.flush()
    if not found.reason.counts:
        await tell_blame(session, attempt, now)
    if await retries.requeue(session, attempt, found.reason, found.message, now):
        return True
    if attempt.job.kind == "diagnosis":
        await tell_blame(session, attempt, now)
    end, name = found.reason.end, found.reason.name
    best = _held_up(attempt) if end == "succeeded" else None
    if not await transition(session, attempt.job_id, end, now, reason=name, message=found.message, busbw_gb_per_s=best):
        return False
    if end == "succeeded" and attempt.job.kind == "training":
        await _compare(session, attempt.job)
    return True


async def _compare(session: AsyncSession, job: Job) -> None:
    """Compare training with one rank alone; a job ends also if an old one cannot be compared with it."""
    try:
        async with session.begin_nested():
            await scaling.settle(session, job)
    except Exception as error:
        if is_passing(error):
            raise
        log.exception("The scaling of job %d is not known", job.id)


async def break_off(session: AsyncSession, attempt: Attempt, now: datetime) -> bool:
    """Stop a running job, or fail a stopped one, that could not be ended as intended.

    Return whether its attempt is over now.
    """
    if not is_clean(attempt) or attempt.job.state != "stopping":
        await stop(session, attempt.job_id, "server_error", MISTAKE, now)
        return False
    attempt.finished_at, attempt.reason, attempt.message = now, "server_error", MISTAKE
    return await transition(session, attempt.job_id, "failed", now, reason="server_error", message=MISTAKE)


async def _verdict(session: AsyncSession, attempt: Attempt) -> Verdict:
    """Return the verdict; an attempt that cannot be judged gets one as well, or it would hold its job and slots for
    ever.
    """
    try:
        async with session.begin_nested():
            return await verdicts.verdict(session, attempt)
    except Exception as error:
        if is_passing(error):
            raise
        log.exception("Attempt %d of job %d cannot be judged", attempt.number, attempt.job_id)
        return Verdict(reason_of("server_error"), MISTAKE)


def _held_up(attempt: Attempt) -> float | None:
    """Return the bandwidth by which a succeeded job is sorted; None if nothing was measured, or disturbed, or in
    another mode.
    """
    spec = spec_of(attempt.job)
    if spec.benchmark is None or attempt.disturbed_by is not None or mode_of(spec.benchmark, spec.env) != DEFAULT:
        return None
    return measured_busbw_gb_per_s(attempt.job.summary)


_WITH_GANG = (joinedload(Attempt.job), selectinload(Attempt.members).joinedload(Member.node))
_PHASES = ("assigned", "ready", "running", "ended", "quarantined", "clean")
_TIMED_PHASES = ("ready", "running", "ended", "clean")
# Later comparisons of ranks need the clock offsets of that time.
_CLOCK_PHASES = ("running", "ended")


def _advance(member: Member, phase: str, now: datetime) -> bool:
    """Move a member to a phase; reports may repeat or overtake each other, so it only moves forward. Return False for
    an old one.
    """
    if _PHASES.index(phase) <= _PHASES.index(member.phase):
        return False
    member.phase = phase
    if phase in _TIMED_PHASES:
        setattr(member, f"{phase}_at", now)
    if phase in _CLOCK_PHASES:
        member.clock_offset_seconds = member.node.clock_offset_seconds
        member.clock_error_seconds = member.node.clock_error_seconds
    return True


def _progress(attempt: Attempt, is_news: bool, now: datetime) -> None:
    """Restart the start limit, because a part of the start is over."""
    if is_news and attempt.job.state == "starting":
        attempt.progressed_at = now


def _all_reached(attempt: Attempt, phase: str) -> bool:
    return all(_PHASES.index(member.phase) >= _PHASES.index(phase) for member in attempt.members)


async def _follow(session: AsyncSession, attempt: Attempt, member: Member, report: Report, now: datetime) -> None:
    """Process a report on an attempt that is not over."""
    match report.event:
        case "ready":
            _progress(attempt, _advance(member, "ready", now), now)
            if report.unreachable:
                await reach.note(session, attempt, member, report.unreachable, now)
            if attempt.job.state == "starting" and all(other.phase == "ready" for other in attempt.members):
                await _launch(session, attempt, now)
        case "proxies":
            _progress(attempt, any(other.proxy is None for other in attempt.members), now)
            for other, proxy in zip(attempt.members, report.proxies, strict=False):
                other.proxy = other.proxy or proxy.model_dump()
        case "running":
            _progress(attempt, _advance(member, "running", now), now)
            if _all_reached(attempt, "running") and await transition(session, attempt.job_id, "running", now):
                attempt.started_at = now
                disturbance.note_cores(attempt)
        case "refused":
            _advance(member, "ended", now)
            sentence = f"Node {member.node.name} cannot run it: {report.message}"
            await _stop_for(session, attempt, member, report, "launch_failed", sentence, now)
        case "stalled":
            if attempt.job.state == "running":
                await stall.note(session, attempt, member, report, now)
            await _stop_for(session, attempt, member, report, "hang_detected", report.message, now)
        case "ended":
            _advance(member, "ended", now)
            member.load = report.load.model_dump() if report.load else None
            report = told_by_node(report)
            reason = report.reason or "rank_exit"
            if attempt.job.state == "stopping":
                _correct(attempt, member, report, reason)
            elif reason != "completed" or _all_reached(attempt, "ended"):
                await _stop_for(session, attempt, member, report, reason, report.message, now)


async def _launch(session: AsyncSession, attempt: Attempt, now: datetime) -> None:
    """Let a gang start whose nodes are ready, unless it measures pairs and some do not reach each other."""
    found = await reach.to_leave_out(session, attempt)
    if found is None:
        attempt.is_launched = True
    else:
        await stop(session, attempt.job_id, found.reason, found.sentence, now, bad_node=found.node)


async def _stop_for(
    session: AsyncSession,
    attempt: Attempt,
    member: Member,
    report: Report,
    reason: str,
    message: str,
    now: datetime,
) -> None:
    """End a job because of a member's report."""
    await stop(
        session,
        attempt.job_id,
        reason,
        message,
        now,
        bad_node=_blamed(member, reason),
        bad_rank=report.rank,
        is_hearsay=report.is_hearsay,
    )


def _blamed(member: Member, reason: str) -> str | None:
    return member.node.name if reason_of(reason).blames_node else None


def _correct(attempt: Attempt, member: Member, report: Report, reason: str) -> None:
    """Correct the reason by the report of a node that knows more than the first one."""
    job = attempt.job
    is_open = attempt.is_hearsay and job.reason in (
        "rank_exit",
        "launch_failed",
    )  # no person has cancelled it meanwhile
    if not is_open or report.is_hearsay or reason in ("completed", "agent_restarted"):
        _correct_rank(attempt, member, report)
        return
    attempt.is_hearsay, attempt.bad_node, attempt.bad_rank = False, _blamed(member, reason), report.rank
    job.reason, job.message = reason, report.message


def _correct_rank(attempt: Attempt, member: Member, report: Report) -> None:
    """Correct the rank: a node knows best which of its ranks failed first; a launcher elsewhere also sees those killed
    after it.
    """
    ranks = range(member.first_rank, member.first_rank + member.slots)
    job, told = attempt.job, attempt.bad_rank
    several_were_killed = job.reason == "rank_signal" and told is None
    a_peer_missed_one = job.reason == "rank_exit" and told in ranks
    if report.rank in ranks and report.rank != told and (several_were_killed or a_peer_missed_one):
        attempt.bad_rank, job.message = report.rank, f"{report.message} {job.message}"


async def _release(session: AsyncSession, member: Member) -> None:
    await session.execute(
        update(Allocation)
        .where(Allocation.attempt_id == member.attempt_id, Allocation.node_id == member.node_id)
        .values(is_active=False)
    )


async def forget_marks(session: AsyncSession) -> None:
    """Clear the tokens of ended attempts that have no process left: those of earlier versions or of removed nodes."""
    held = select(Member.attempt_id).where(Member.phase != "clean")
    over = Attempt.finished_at.is_not(None) & (Attempt.token != "") & Attempt.id.not_in(held)
    await session.execute(update(Attempt).where(over).values(token="").execution_options(synchronize_session=False))


async def active_attempts(session: AsyncSession) -> Sequence[Attempt]:
    """Return every attempt whose job is between start and end."""
    return (
        await session.scalars(
            select(Attempt).join(Job).where(Job.state.in_(ACTIVE), Attempt.finished_at.is_(None)).options(*_WITH_GANG)
        )
    ).all()


def nodes_of(attempt: Attempt) -> list[Node]:
    """Return the nodes of a gang, in rank order."""
    return [member.node for member in attempt.members]
