"""Copies what /metrics and discovery show from the tables into memory."""

from collections import Counter
from collections.abc import Container, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.job_states import ACTIVE, WAITING
from ringscope_server.db.models import IS_HELD, Allocation, Job, Node, QuarantinedSlot, Schedule
from ringscope_server.monitoring import capacity
from ringscope_server.monitoring.capacity import NodeUnits
from ringscope_server.monitoring.state import JobMetrics, MonitoringState, NodeMetrics
from ringscope_server.nodes import queries
from ringscope_server.services import Services

# Not the whole rows, because a large cluster's inventories would be read every second.
_NODES = (
    select(
        Node.id,
        Node.name,
        Node.metrics_address,
        Node.desired,
        Node.observed,
        Node.last_heartbeat_at,
        Node.slots,
        Node.expected_gpus,
        Node.epoch,
    )
    .where(Node.removed_at.is_(None))
    .order_by(Node.name)
)
_HELD = select(Allocation.node_id, func.count()).where(IS_HELD).group_by(Allocation.node_id)
_QUARANTINED = select(QuarantinedSlot.node_id, func.count()).group_by(QuarantinedSlot.node_id)
# Not those of a long queue, of which only the numbers are shown.
_COUNTS = (
    select(Job.kind, Job.state, func.count(), func.min(Job.created_at))
    .where(Job.state.in_(WAITING | ACTIVE))
    .group_by(Job.kind, Job.state)
)
_JOBS = (
    select(
        Job.id,
        Job.kind,
        Job.collective.label("op"),
        Job.ranks.label("world_size"),
        Job.user,
        Job.state,
        Job.started_at,
        Job.name,
        Job.algorithms,
        func.coalesce(Schedule.name, "").label("schedule"),
    )
    .outerjoin(Schedule, Schedule.id == Job.schedule_id)
    .order_by(Job.id)
)


async def refresh(services: Services) -> None:
    """Refresh after each pass of the scheduler's loop, also if another server made it."""
    state, now = services.monitoring, services.now()
    async with services.database.read() as session:
        await _refresh_nodes(session, state)
        await _refresh_jobs(session, state, now, services.settings.metrics_linger_seconds)
    state.last_pass_at = now if services.lease.is_held else None
    state.is_ready = True


async def _refresh_nodes(session: AsyncSession, state: MonitoringState) -> None:
    nodes = (await session.execute(_NODES)).all()
    held: dict[int, int] = dict((await session.execute(_HELD)).all())
    quarantined: dict[int, int] = dict((await session.execute(_QUARANTINED)).all())
    whole = await queries.exclusive_nodes(session)
    gpus = await state.gpu_counts.of(session, [(node.id, node.epoch) for node in nodes])
    units = [_units(node, held, quarantined, gpus, whole) for node in nodes]
    state.node_states = capacity.node_states(units)
    state.slot_states = capacity.slot_states(units)
    state.gpu_states = capacity.gpu_states(units)
    state.nodes = tuple(
        NodeMetrics(node.name, node.metrics_address, node.observed != "lost", node.last_heartbeat_at) for node in nodes
    )


async def _refresh_jobs(session: AsyncSession, state: MonitoringState, now: datetime, linger_seconds: float) -> None:
    before = {job.id for job in state.jobs}
    jobs = [JobMetrics(**row._mapping) for row in await session.execute(_shown(state.leaving, now))]
    active = {job.id for job in jobs if job.state in ACTIVE}
    ended = before - active - state.leaving.keys()
    # The last values stay for a moment, so that Prometheus scrapes them.
    state.leaving = {job: until for job, until in state.leaving.items() if until > now and job not in active}
    state.leaving |= dict.fromkeys(ended, now + timedelta(seconds=linger_seconds))
    if ended:
        jobs = [JobMetrics(**row._mapping) for row in await session.execute(_shown(state.leaving, now))]
    state.jobs = tuple(jobs)
    counts = (await session.execute(_COUNTS)).all()
    state.live = Counter({(kind, name): count for kind, name, count, _ in counts})
    state.oldest_queued_at = min((oldest for _, name, _, oldest in counts if name == "queued"), default=None)
    shown = active | state.leaving.keys()
    state.losses = {job: loss for job, loss in state.losses.items() if job in shown}
    state.goodput.forget_all_but(shown)
    await state.benchmarks.refresh(session, ended)
    await state.blames.refresh(session, ended, now)
    await state.expected_bandwidth.refresh(session, active, now)


def _shown(leaving: Mapping[int, datetime], now: datetime) -> Any:
    """Return the jobs that hold slots, and those that did a moment ago."""
    recent = [job for job, until in leaving.items() if until > now]
    return _JOBS.where(or_(Job.state.in_(ACTIVE), Job.id.in_(recent)))


def _units(
    node: Any,
    held: Mapping[int, int],
    quarantined: Mapping[int, int],
    gpus: Mapping[int, int],
    whole: Container[int],
) -> NodeUnits:
    return NodeUnits(
        desired=node.desired,
        observed=node.observed,
        slots=node.slots,
        held=held.get(node.id, 0),
        quarantined=quarantined.get(node.id, 0),
        gpus=gpus.get(node.id, 0),
        expected_gpus=node.expected_gpus,
        is_whole=node.id in whole,
    )
