"""Queries of nodes and their slots, for people and for the scheduler."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.inventory import Inventory
from ringscope_server.db.models import IS_HELD, Allocation, Attempt, Node, QuarantinedSlot
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


async def views(session: AsyncSession, nodes: Sequence[Node], now: datetime) -> list[NodeView]:
    """Return nodes as the API shows them."""
    taken, quarantine = await occupancy(session), await quarantined(session)
    return [view(node, taken, quarantine, now) for node in nodes]


def view(node: Node, taken: Occupancy, quarantine: Quarantine, now: datetime) -> NodeView:
    """Return a node as the API shows it."""
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
