"""A rank that its own node has seen standing still, reported at once as a hang that needs no limit."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.protocol import Report
from ringscope_server.db.models import Attempt, Member
from ringscope_server.insights import pulses, store
from ringscope_server.insights.hang import MAX_RANKS_SHOWN
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.where import rank_evidence


async def note(session: AsyncSession, attempt: Attempt, member: Member, report: Report, now: datetime) -> None:
    """Open the insight with the position of each rank; the job's row is locked."""
    heard = (await pulses.samples(session, [attempt.id])).get(attempt.id, {})
    ordered = sorted(heard, key=lambda rank: (heard[rank].place, rank))[:MAX_RANKS_SHOWN]
    evidence = {"behind": [report.rank], "ranks": [rank_evidence(rank, heard[rank]) for rank in ordered]}
    finding = Finding("hang", report.message, report.rank, member.node.name, evidence)
    await store.open_new(session, attempt.job_id, attempt.id, [finding], now)
