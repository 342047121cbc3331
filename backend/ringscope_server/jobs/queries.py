"""Jobs, read for people."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ringscope.spec import JobSpec
from ringscope_server.db.models import Attempt, Job, Member
from ringscope_server.jobs.views import AttemptView, BenchmarkSummary, JobView, Pending, Progress

_WITH_ATTEMPTS = selectinload(Job.attempts).selectinload(Attempt.members).joinedload(Member.node)


async def one(session: AsyncSession, job_id: int) -> JobView | None:
    """One job, or None."""
    job = await session.scalar(select(Job).where(Job.id == job_id).options(_WITH_ATTEMPTS))
    return view(job) if job is not None else None


async def page(
    session: AsyncSession,
    limit: int,
    before: int | None = None,
    states: Sequence[str] = (),
    kind: str | None = None,
    text: str | None = None,
) -> list[JobView]:
    """Jobs newest first, those older than ``before``; ``text`` is looked for in the names."""
    query = select(Job).order_by(Job.id.desc()).limit(limit).options(_WITH_ATTEMPTS)
    if before is not None:
        query = query.where(Job.id < before)
    if states:
        query = query.where(Job.state.in_(states))
    if kind is not None:
        query = query.where(Job.kind == kind)
    if text:
        query = query.where(Job.name.icontains(text, autoescape=True))
    return [view(job) for job in (await session.scalars(query)).all()]


async def counts_by_state(session: AsyncSession) -> dict[str, int]:
    """How many jobs are in each state; states without a job are left out."""
    rows = await session.execute(select(Job.state, func.count()).group_by(Job.state))
    return {row[0]: row[1] for row in rows}


def view(job: Job) -> JobView:
    """A job, loaded with its attempts, as the API shows it."""
    spec = JobSpec.model_validate(job.spec)
    return JobView(
        id=job.id,
        name=job.name,
        kind=spec.kind,
        state=job.state,
        reason=job.reason,
        message=job.message,
        user=job.user,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        spec=spec,
        priority=job.priority,
        labels=job.labels,
        pending=_pending(job),
        progress=Progress(done=job.rows_done, total=spec.benchmark.measurement_count()),
        summary=BenchmarkSummary.model_validate(job.summary),
        attempts=[
            AttemptView(
                id=attempt.id,
                number=attempt.number,
                nodes=[member.node.name for member in attempt.members],
                created_at=attempt.created_at,
                started_at=attempt.started_at,
                finished_at=attempt.finished_at,
            )
            for attempt in job.attempts
        ],
    )


def _pending(job: Job) -> Pending | None:
    if job.pending_reason is None or job.pending_sentence is None:
        return None
    return Pending(reason=job.pending_reason, sentence=job.pending_sentence, estimated_start=job.estimated_start)


async def nodes_of_job(session: AsyncSession, job_id: int) -> set[int]:
    """Ids of the nodes that hold or held a part of this job."""
    rows = await session.scalars(select(Member.node_id).join(Attempt).where(Attempt.job_id == job_id))
    return set(rows)


async def exists(session: AsyncSession, job_id: int) -> bool:
    """Whether there is such a job."""
    return await session.get(Job, job_id) is not None
