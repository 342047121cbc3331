"""The snapshot, read from the tables."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import IS_HELD, Allocation, Attempt, Job, Node, QuarantinedSlot
from ringscope_server.nodes import labels, lifetimes
from ringscope_server.nodes.queries import all_nodes
from ringscope_server.placement import usage
from ringscope_server.placement.snapshot import NodeState, Policy, QueuedJob, RunningGang, Share, Snapshot


async def take_snapshot(session: AsyncSession, queue: Iterable[QueuedJob], policy: Policy, now: datetime) -> Snapshot:
    """The nodes that take work, what runs on them, and who waits."""
    quarantined = await _quarantined(session)
    nodes = [node for node in await all_nodes(session) if node.desired == "active" and node.observed != "lost"]
    return Snapshot(
        nodes=tuple(node_state(node, quarantined.get(node.id, ())) for node in nodes),
        running=tuple(await _running(session)),
        queue=tuple(queue),
        usage=await usage.of_all(session, now, policy.fair_share_half_life_hours),
    )


def node_state(node: Node, quarantined: Collection[int] = ()) -> NodeState:
    """A node as the plan sees it."""
    gpus = node.inventory.get("gpus", [])
    return NodeState(
        id=node.id,
        name=node.name,
        slots=tuple(slot for slot in range(node.slots) if slot not in quarantined),
        labels=labels.effective(node),
        versions=node.versions,
        gpu_models=tuple(gpu["model"] for gpu in gpus),
        gpu_memory_bytes=min((gpu["memory_bytes"] for gpu in gpus), default=0),
        memory_bytes=node.inventory["memory_bytes"],
        quarantined=frozenset(quarantined),
        only_on=node.inventory["hostname"] if _is_loopback(node.address) else "",
        free_by=lifetimes.free_by(node.leaves_at),
    )


def _is_loopback(address: str) -> bool:
    return address == "localhost" or address.startswith("127.")


async def _quarantined(session: AsyncSession) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for node_id, slot in await session.execute(select(QuarantinedSlot.node_id, QuarantinedSlot.slot)):
        found[node_id].add(slot)
    return found


async def _running(session: AsyncSession) -> list[RunningGang]:
    """Every gang that still holds a slot, whatever its job's state."""
    slots: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    held = select(Allocation.attempt_id, Allocation.node_id, Allocation.slot).where(IS_HELD)
    for attempt_id, node_id, slot in await session.execute(held):
        slots[attempt_id][node_id].append(slot)
    gangs = await session.execute(
        select(
            Attempt.id,
            Attempt.job_id,
            Job.user,
            Job.priority,
            Job.state,
            Attempt.created_at,
            Attempt.started_at,
            Job.spec["time_limit_seconds"].as_integer(),
            Job.spec["placement"]["exclusive"].as_boolean(),
        )
        .join(Job)
        .where(Attempt.id.in_(select(Allocation.attempt_id).where(IS_HELD)))
        .order_by(Attempt.id)
    )
    return [
        RunningGang(
            job_id=job_id,
            user=user,
            priority=priority,
            shares=_shares(slots[attempt_id]),
            started_at=created_at,
            ends_at=(started_at or created_at) + timedelta(seconds=seconds),
            is_exclusive=bool(exclusive),
            is_stopping=state not in ("starting", "running"),
        )
        for attempt_id, job_id, user, priority, state, created_at, started_at, seconds, exclusive in gangs
    ]


def _shares(slots: Mapping[int, Sequence[int]]) -> tuple[Share, ...]:
    return tuple(Share(node_id, tuple(sorted(numbers))) for node_id, numbers in sorted(slots.items()))
