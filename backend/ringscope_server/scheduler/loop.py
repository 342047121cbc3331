"""The loop that keeps the cluster moving: deadlines, lost nodes, and the plan carried out."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.spec import JobSpec
from ringscope_server.db.models import Attempt, Job
from ringscope_server.events.live import publish_jobs, publish_nodes
from ringscope_server.jobs import gangs
from ringscope_server.jobs.states import TERMINAL
from ringscope_server.monitoring.collector import outcome_label
from ringscope_server.monitoring.state import JobMetrics, NodeMetrics
from ringscope_server.nodes import registry
from ringscope_server.nodes.queries import all_nodes, free_slots, occupancy
from ringscope_server.scheduler.plan import Plan, QueuedJob, Snapshot, plan
from ringscope_server.services import Services

log = logging.getLogger(__name__)


@dataclass
class Changes:
    """Ids that a transaction touched, to be told about after its commit."""

    jobs: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    finished: list[tuple[str, str]] = field(default_factory=list)  # kind and outcome, for the counters

    def attempt(self, attempt: Attempt) -> None:
        """Everything that an attempt's change concerns."""
        self.jobs.add(attempt.job_id)
        self.nodes.update(member.node_id for member in attempt.members)

    def ended(self, job: Job) -> None:
        """A job reached its end."""
        self.finished.append((job.kind, outcome_label(job.state, job.reason)))


async def run(services: Services) -> None:
    """Pass after pass until cancelled; a failed pass is logged and the next one tries again."""
    while True:
        try:
            await one_pass(services)
        except Exception:
            log.exception("A scheduling pass failed")
        await services.signals.wait_for_work(services.settings.scheduler_interval_seconds)


async def one_pass(services: Services) -> None:
    """Look at everything once. Nothing but SQL happens inside the transaction."""
    now = services.now()
    changes = Changes()
    async with services.database.write() as session:
        changes.nodes.update(node.id for node in await registry.mark_lost(session, now))
        for attempt in await gangs.active_attempts(session):
            await _enforce_deadlines(session, services, attempt, changes, now)
        await _carry_out(session, await _snapshot(session), changes, now)
    await announce(services, changes)
    await refresh_monitoring(services)


async def announce(services: Services, changes: Changes) -> None:
    """After a commit: wake the agents concerned, tell the browsers, count the ends."""
    for node_id in changes.nodes:
        services.signals.assignments_changed(node_id)
    for kind, outcome in changes.finished:
        services.monitoring.finished[kind, outcome] += 1
    if changes.finished:
        services.signals.wake_scheduler()
    await publish_jobs(services.database, services.stream, sorted(changes.jobs))
    await publish_nodes(services.database, services.stream, sorted(changes.nodes), services.now())


async def refresh_monitoring(services: Services) -> None:
    """Copy what /metrics and discovery show from the tables into memory."""
    state = services.monitoring
    async with services.database.read() as session:
        nodes = await all_nodes(session)
        jobs = (await session.scalars(select(Job).where(Job.state.not_in(TERMINAL)))).all()
        state.oldest_queued_at = await session.scalar(select(func.min(Job.created_at)).where(Job.state == "queued"))
    state.nodes = tuple(
        NodeMetrics(node.name, node.metrics_address, node.observed != "lost", node.last_heartbeat_at) for node in nodes
    )
    state.jobs = tuple(_job_metrics(job) for job in jobs)
    state.last_pass_at = services.now()
    state.is_ready = True


async def _enforce_deadlines(
    session: AsyncSession, services: Services, attempt: Attempt, changes: Changes, now: datetime
) -> None:
    job = attempt.job
    if verdict := _overdue(attempt, services.settings.start_deadline_seconds, now):
        reason, sentence = verdict
        if await gangs.stop(session, job.id, reason, sentence, now):
            changes.attempt(attempt)
    if await gangs.finish_if_clean(session, attempt, now):
        changes.attempt(attempt)
        changes.ended(job)


def _overdue(attempt: Attempt, start_seconds: float, now: datetime) -> tuple[str, str] | None:
    """Why this attempt must stop now, if it must."""
    job = attempt.job
    if job.state == "stopping":
        return None
    lost = [member.node.name for member in attempt.members if member.node.observed == "lost"]
    if lost:
        return "node_lost", f"Node {lost[0]} is lost: its agent has stopped sending heartbeats."
    if job.state == "starting" and now - attempt.created_at > timedelta(seconds=start_seconds):
        late = [member.node.name for member in attempt.members if member.phase in ("assigned", "ready")]
        return "launch_failed", f"The ranks did not start within {start_seconds:.0f} s on {', '.join(late)}."
    limit = job.spec["time_limit_seconds"]
    if attempt.started_at is not None and now - attempt.started_at > timedelta(seconds=limit):
        return "time_limit", f"It ran longer than its time limit of {limit} s."
    return None


async def _snapshot(session: AsyncSession) -> Snapshot:
    queued = await session.scalars(select(Job).where(Job.state == "queued").order_by(Job.priority.desc(), Job.id))
    return Snapshot(
        nodes=tuple(free_slots(await all_nodes(session), await occupancy(session))),
        queue=tuple(QueuedJob(job.id, JobSpec.model_validate(job.spec).placement) for job in queued),
    )


async def _carry_out(session: AsyncSession, snapshot: Snapshot, changes: Changes, now: datetime) -> None:
    decided: Plan = plan(snapshot)
    for start in decided.starts:
        if await gangs.start(session, start.job_id, start.shares, now):
            changes.jobs.add(start.job_id)
            changes.nodes.update(share.node_id for share in start.shares)
    waiting: Sequence[Job] = (
        (await session.scalars(select(Job).where(Job.id.in_([wait.job_id for wait in decided.waits])))).all()
        if decided.waits
        else ()
    )
    jobs = {job.id: job for job in waiting}
    for wait in decided.waits:
        job = jobs[wait.job_id]
        if job.pending_sentence != wait.sentence:
            job.pending_reason, job.pending_sentence = wait.reason, wait.sentence
            changes.jobs.add(job.id)


def _job_metrics(job: Job) -> JobMetrics:
    spec = JobSpec.model_validate(job.spec)
    return JobMetrics(
        id=job.id,
        kind=job.kind,
        op=spec.benchmark.collective,
        world_size=spec.placement.ranks,
        user=job.user,
        state=job.state,
        started_at=job.started_at,
    )
