"""Jobs, read for people."""

from collections.abc import Collection, Iterable
from functools import partial
from typing import cast

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload
from sqlalchemy.orm.attributes import set_committed_value

from ringscope.contracts.job import IMPORTED, JobSpec
from ringscope.contracts.training import size as training_size
from ringscope_server.db.models import Attempt, Job, Member
from ringscope_server.db.parsed import Parsed
from ringscope_server.db.specs import spec_of, valid_spec
from ringscope_server.insights.views import InsightView
from ringscope_server.jobs.advice import advice
from ringscope_server.jobs.fewer_ranks import fewer_ranks
from ringscope_server.jobs.filters import EVERY_JOB, JobFilter, newest
from ringscope_server.jobs.sorting import NEWEST_FIRST, Sort, sorted_ids
from ringscope_server.jobs.summary import stored
from ringscope_server.jobs.views import (
    AttemptView,
    BenchmarkSummary,
    JobView,
    JudgementKind,
    MemberView,
    Pending,
    Phase,
    Progress,
    TrainingSummary,
)

_KNOWN_JOBS = 1_000
_summaries: Parsed[BenchmarkSummary | TrainingSummary] = Parsed(_KNOWN_JOBS)
_WITH_PARTS = (
    selectinload(Job.attempts).selectinload(Attempt.members).joinedload(Member.node),
    selectinload(Job.insights),
)


async def one(session: AsyncSession, job_id: int) -> JobView | None:
    """Return one job, or None. Raises SpoiledError if its specification cannot be shown; lists leave such a job out."""
    job = await session.scalar(select(Job).where(Job.id == job_id).options(*_WITH_PARTS))
    return view(job) if job is not None else None


async def those(session: AsyncSession, job_ids: Collection[int]) -> list[JobView]:
    """Return the existing ones of the jobs by id, with as many queries for all as for one."""
    query = select(Job).where(Job.id.in_(job_ids)).order_by(Job.id).options(*_WITH_PARTS)
    return _views(await session.scalars(query))


async def page(
    session: AsyncSession,
    limit: int,
    before: int | None = None,
    wanted: JobFilter = EVERY_JOB,
    sort: Sort = NEWEST_FIRST,
) -> list[JobView]:
    """Return jobs in an order, those that come after the job ``before``."""
    if sort != NEWEST_FIRST:
        return await _sorted_page(session, limit, before, wanted, sort)
    ids = ids_of_page(limit, before, wanted)
    query = select(Job).where(Job.id.in_(ids)).order_by(Job.id.desc()).limit(limit).options(*_WITH_PARTS)
    return _views(await session.scalars(query))


async def _sorted_page(
    session: AsyncSession, limit: int, after: int | None, wanted: JobFilter, sort: Sort
) -> list[JobView]:
    ids = await sorted_ids(session, matching(wanted), sort, limit, after)
    jobs = await session.scalars(select(Job).where(Job.id.in_(ids)).options(*_WITH_PARTS))
    by_id = {job.id: job for job in jobs}
    return _views(by_id[job_id] for job_id in ids)


def matching(wanted: JobFilter) -> Select[int]:
    """Select the ids of all jobs of a filter, in no order."""
    ids = select(Job.id).where(*wanted.conditions())
    return ids.where(Job.state.in_(wanted.states)) if wanted.states else ids


def ids_of_page(limit: int, before: int | None, wanted: JobFilter) -> Select[int]:
    """Select the ids of a page's jobs, and of a few older ones if several states are wanted."""
    ids = select(Job.id).where(*wanted.conditions())
    if before is not None:
        ids = ids.where(Job.id < before)
    return newest(ids, wanted.states, limit)


async def counts_by_state(session: AsyncSession) -> dict[str, int]:
    """Return the number of jobs in each state; states without a job are left out."""
    rows = await session.execute(select(Job.state, func.count()).group_by(Job.state))
    return {row[0]: row[1] for row in rows}


def _views(jobs: Iterable[Job]) -> list[JobView]:
    """Return the views of jobs that can be shown: one with an invalid specification must not hide all others."""
    return [view(job) for job in jobs if valid_spec(job) is not None]


def view_of_new(job: Job) -> JobView:
    """Return the view of a job that was just submitted; it has no attempts or insights, so it is not read again."""
    for part in ("attempts", "insights"):
        set_committed_value(job, part, [])
    return view(job)


def _steps_total(spec: JobSpec, summary: TrainingSummary) -> int | None:
    """Return the steps of training: as its epochs show, or before the first one by the specification, if it tells."""
    if summary.steps_total is not None or spec.training is None:
        return summary.steps_total
    return training_size.steps_total(spec.training)


def view(job: Job) -> JobView:
    """Return a job, loaded with its attempts and insights, as the API shows it."""
    spec = spec_of(job)
    pending = _pending(job)
    summary = _summaries.get(job.id, job.summary, partial(stored, spec.kind))
    total = (
        spec.row_count(summary.lowered_max_bytes)
        if isinstance(summary, BenchmarkSummary)
        else _steps_total(spec, summary)
    )
    return JobView(
        id=job.id,
        name=job.name,
        kind=spec.kind,
        state=job.state,
        reason=job.reason,
        message=job.message,
        advice=advice(job.id, job.state, job.reason, pending.reason if pending else None, _suspects(job)),
        user=job.user,
        created_at=job.created_at,
        queued_at=job.queued_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        spec=spec.shown,
        priority=job.priority,
        labels=job.labels,
        note=job.note,
        ranks=job.ranks,
        is_adopted=spec.kind == IMPORTED and job.busbw_gb_per_s is not None,
        fewer_ranks="" if isinstance(summary, BenchmarkSummary) else fewer_ranks(job, spec, summary.epochs_done),
        revision=job.revision,
        cloned_from=job.cloned_from,
        schedule_id=job.schedule_id,
        not_before=job.not_before,
        excluded_nodes=job.excluded_nodes,
        pending=pending,
        progress=Progress(done=job.rows_done, total=total),
        summary=summary,
        judgement=cast(JudgementKind | None, job.judgement),
        attempts=[
            AttemptView(
                id=attempt.id,
                number=attempt.number,
                nodes=[member.node.name for member in attempt.members],
                members=[_member_view(member) for member in attempt.members],
                reason=attempt.reason,
                message=attempt.message,
                bad_node=attempt.bad_node,
                bad_rank=attempt.bad_rank,
                disturbed_by=attempt.disturbed_by,
                start_limit_seconds=attempt.start_limit_seconds,
                created_at=attempt.created_at,
                started_at=attempt.started_at,
                finished_at=attempt.finished_at,
            )
            for attempt in job.attempts
        ],
        insights=[InsightView.model_validate(insight, from_attributes=True) for insight in job.insights],
    )


def _suspects(job: Job) -> list[str]:
    if not job.attempts:
        return []
    last = job.attempts[-1]
    return [last.bad_node] if last.bad_node else [member.node.name for member in last.members]


def _member_view(member: Member) -> MemberView:
    return MemberView(
        node=member.node.name,
        first_rank=member.first_rank,
        ranks=member.slots,
        phase=cast(Phase, member.phase),
        ready_at=member.ready_at,
        running_at=member.running_at,
        ended_at=member.ended_at,
        clean_at=member.clean_at,
        clock_offset_seconds=member.clock_offset_seconds,
        clock_error_seconds=member.clock_error_seconds,
    )


def _pending(job: Job) -> Pending | None:
    if job.pending_reason is None or job.pending_sentence is None:
        return None
    return Pending(
        reason=job.pending_reason,
        sentence=job.pending_sentence,
        estimated_start=job.estimated_start,
        position=job.pending_position,
    )


async def nodes_of_job(session: AsyncSession, job_id: int) -> set[int]:
    """Return the ids of the nodes that hold or held a part of this job."""
    rows = await session.scalars(select(Member.node_id).join(Attempt).where(Attempt.job_id == job_id))
    return set(rows)


async def exists(session: AsyncSession, job_id: int) -> bool:
    """Return whether there is such a job."""
    return await session.get(Job, job_id) is not None


async def ranks_of(session: AsyncSession, job_id: int) -> int:
    """Return the size of a job's gang."""
    return (await session.scalars(select(Job.ranks).where(Job.id == job_id))).one()
