"""Queries of nodes and their slots, for people and for the scheduler."""

from collections import defaultdict
from collections.abc import Collection, Container, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.inventory import Inventory
from ringscope_server.db.models import IS_HELD, Allocation, Attempt, Job, Node, QuarantinedSlot
from ringscope_server.nodes import labels
from ringscope_server.nodes.views import NodeView, SlotView

# node -> slot -> (job, rank)
Occupancy = dict[int, dict[int, tuple[int, int]]]
# node -> slot -> why
Quarantine = dict[int, dict[int, str]]


async def all_nodes(session: AsyncSession) -> Sequence[Node]:
    """Return every node that was not removed, by name."""
    return (await session.scalars(select(Node).where(Node.removed_at.is_(None)).order_by(Node.name))).all()


async def page(session: AsyncSession, limit: int | None, after: int | None) -> Sequence[Node]:
    """Return the next ``limit`` nodes after the one with the id ``after``, which may have been removed; None for the
    rest.
    """
    query = select(Node).where(Node.removed_at.is_(None)).order_by(Node.name).limit(limit)
    if after is not None:
        query = query.where(Node.name > select(Node.name).where(Node.id == after).scalar_subquery())
    return (await session.scalars(query)).all()


async def one(session: AsyncSession, name: str) -> Node | None:
    """Return the node of that name, unless it was removed."""
    return await session.scalar(select(Node).where(Node.name == name, Node.removed_at.is_(None)))


async def occupancy(session: AsyncSession) -> Occupancy:
    """Return which rank uses which slot."""
    taken: Occupancy = defaultdict(dict)
    rows = await session.execute(
        select(Allocation.node_id, Allocation.slot, Attempt.job_id, Allocation.rank)
        .join(Attempt, Attempt.id == Allocation.attempt_id)
        .where(IS_HELD)
    )
    for node_id, slot, job_id, rank in rows:
        taken[node_id][slot] = (job_id, rank)
    return taken


async def quarantined(session: AsyncSession) -> Quarantine:
    """Return the slots that must not be given away, because they could not be proven free."""
    found: Quarantine = defaultdict(dict)
    for node_id, slot, message in await session.execute(
        select(QuarantinedSlot.node_id, QuarantinedSlot.slot, QuarantinedSlot.message)
    ):
        found[node_id][slot] = message
    return found


async def exclusive_nodes(session: AsyncSession) -> set[int]:
    """Return the ids of the nodes that an exclusive job has for itself now.

    A quarantined slot keeps nothing else on its node back.
    """
    gone = (QuarantinedSlot.node_id == Allocation.node_id) & (QuarantinedSlot.slot == Allocation.slot)
    held = (
        select(Allocation.node_id, Allocation.attempt_id)
        .outerjoin(QuarantinedSlot, gone)
        .where(IS_HELD, QuarantinedSlot.slot.is_(None))
        .distinct()  # a specification is long: it is read once for each node
        .subquery()
    )
    query = (
        select(held.c.node_id)
        .join(Attempt, Attempt.id == held.c.attempt_id)
        .join(Job, Job.id == Attempt.job_id)
        .where(Job.spec["placement"]["exclusive"].as_boolean())
    )
    return set(await session.scalars(query))


def slots_free(node: Node, busy: Collection[int], unproven: Container[int], whole: Container[int]) -> int:
    """Return how many slots of the node a gang would get now, as ``placement.room.Room`` counts them.

    Args:
        node: the node.
        busy: the slots that are held.
        unproven: the quarantined slots.
        whole: the ids of the nodes that exclusive jobs have for themselves.
    """
    if node.desired != "active" or node.observed == "lost" or node.id in whole:
        return 0
    # Ranks on slots that the node has no more still fill it.
    held = sum(slot not in unproven for slot in busy)
    return max(0, sum(slot not in unproven for slot in range(node.slots)) - held)


async def views(session: AsyncSession, nodes: Sequence[Node], now: datetime) -> list[NodeView]:
    """Return nodes as the API shows them."""
    taken, quarantine, whole = await occupancy(session), await quarantined(session), await exclusive_nodes(session)
    return [_view(node, taken, quarantine, whole, now) for node in nodes]


def _view(node: Node, taken: Occupancy, quarantine: Quarantine, whole: Container[int], now: datetime) -> NodeView:
    busy, unproven = taken.get(node.id, {}), quarantine.get(node.id, {})
    effective = labels.effective(node)
    return NodeView(
        id=node.id,
        name=node.name,
        address=node.address,
        revision=node.revision,
        desired=node.desired,
        desired_reason=node.desired_reason,
        desired_by=node.desired_by,
        desired_at=node.desired_at,
        observed=node.observed,
        observed_reason=node.observed_reason,
        slots_total=node.slots,
        slots_busy=len(busy),
        slots_free=slots_free(node, busy, unproven, whole),
        slots_quarantined=len(unproven),
        slots=[
            SlotView(
                slot=slot,
                job_id=busy.get(slot, (None, None))[0],
                rank=busy.get(slot, (None, None))[1],
                quarantine=unproven.get(slot),
            )
            # Its agent may have come back with fewer slots than it still has ranks on.
            for slot in sorted({*range(node.slots), *busy, *unproven})
        ],
        inventory=Inventory.model_validate(node.inventory),
        versions=node.versions,
        labels=effective,
        rack=effective.get(labels.RACK),
        label_overrides=node.label_overrides,
        metrics_address=node.metrics_address,
        registered_at=node.registered_at,
        last_heartbeat_at=node.last_heartbeat_at,
        clock_offset_seconds=node.clock_offset_seconds,
        clock_error_seconds=node.clock_error_seconds,
        leaves_at=node.leaves_at,
        heartbeat_age_seconds=max(0.0, (now - node.last_heartbeat_at).total_seconds()),
    )
