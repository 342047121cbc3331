"""What each agent should do now: derived from the tables at every poll, so that nothing can be out of step."""

from collections.abc import Sequence
from typing import Literal

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from ringscope.algorithms import AUTO
from ringscope.protocol import Assignment, GangMember, Proxy
from ringscope.spec import JobSpec
from ringscope.tuning import Table
from ringscope_server.db.models import Attempt, Member
from ringscope_server.jobs.states import TERMINAL
from ringscope_server.results.tuning import known_times


async def assignments_of(session: AsyncSession, node_id: int) -> list[Assignment]:
    """Every attempt that this node has not yet proven gone."""
    members: Sequence[Member] = (
        await session.scalars(
            select(Member)
            .where(Member.node_id == node_id, Member.phase != "clean")
            .order_by(Member.attempt_id)
            .options(
                joinedload(Member.attempt).joinedload(Attempt.job),
                joinedload(Member.attempt).selectinload(Attempt.members).joinedload(Member.node),
            )
        )
    ).all()
    return [await _assignment(session, member) for member in members]


async def _assignment(session: AsyncSession, member: Member) -> Assignment:
    attempt = member.attempt
    spec = JobSpec.model_validate(attempt.job.spec)
    return Assignment(
        attempt_id=attempt.id,
        job_id=attempt.job_id,
        token=attempt.token,
        desired=_desired(attempt),
        member=member.member,
        gang=[GangMember(node=m.node.name, address=m.node.address, slots=m.slots) for m in attempt.members],
        ranks=spec.placement.ranks,
        first_rank=member.first_rank,
        spec=spec,
        proxy=Proxy.model_validate(member.proxy) if member.proxy else None,
        tuning=await _tuning(session, member, spec),
    )


async def _tuning(session: AsyncSession, member: Member, spec: JobSpec) -> Table | None:
    """Rank 0 chooses for all: only its node needs the table, and only until its ranks have started."""
    if AUTO not in spec.benchmark.algorithms or member.member != 0 or member.phase not in ("assigned", "ready"):
        return None
    return await known_times(session, spec, [m.slots for m in member.attempt.members])


def _desired(attempt: Attempt) -> Literal["prepare", "launch", "stop"]:
    if attempt.job.state == "stopping" or attempt.job.state in TERMINAL:
        return "stop"
    return "launch" if attempt.is_launched else "prepare"
