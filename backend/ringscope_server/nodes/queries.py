"""Nodes and their slots, read for people and for the scheduler."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.protocol import Inventory
from ringscope_server.db.models import Allocation, Attempt, Node
from ringscope_server.nodes.views import NodeView, SlotView
from ringscope_server.scheduler.placement import NodeSlots

# (node, slot) -> (job, rank)
Occupancy = dict[int, dict[int, tuple[int, int]]]


async def all_nodes(session: AsyncSession) -> Sequence[Node]:
    """Every node, by name."""
    return (await session.scalars(select(Node).order_by(Node.name))).all()


async def occupancy(session: AsyncSession) -> Occupancy:
    """Who sits on which slot."""
    taken: Occupancy = defaultdict(dict)
    rows = await session.execute(
        select(Allocation.node_id, Allocation.slot, Attempt.job_id, Allocation.rank)
        .join(Attempt, Attempt.id == Allocation.attempt_id)
        .where(Allocation.is_active)
    )
    for node_id, slot, job_id, rank in rows:
        taken[node_id][slot] = (job_id, rank)
    return taken


def view(node: Node, taken: Occupancy, now: datetime) -> NodeView:
    """A node as the API shows it."""
    busy = taken.get(node.id, {})
    return NodeView(
        id=node.id,
        name=node.name,
        address=node.address,
        desired=node.desired,
        observed=node.observed,
        slots_total=node.slots,
        slots_busy=len(busy),
        slots=[
            SlotView(slot=slot, job_id=busy.get(slot, (None, None))[0], rank=busy.get(slot, (None, None))[1])
            for slot in range(node.slots)
        ],
        inventory=Inventory.model_validate(node.inventory),
        versions=node.versions,
        labels=node.labels,
        metrics_address=node.metrics_address,
        registered_at=node.registered_at,
        last_heartbeat_at=node.last_heartbeat_at,
        heartbeat_age_seconds=max(0.0, (now - node.last_heartbeat_at).total_seconds()),
    )


def free_slots(nodes: Sequence[Node], taken: Occupancy) -> list[NodeSlots]:
    """The nodes that accept work now, with their free slots."""
    return [
        _node_slots(node, tuple(slot for slot in range(node.slots) if slot not in taken.get(node.id, {})))
        for node in nodes
        if node.desired == "active" and node.observed == "ready"
    ]


def whole_cluster(nodes: Sequence[Node]) -> list[NodeSlots]:
    """Every node with all its slots, busy or not, ready or not: what the cluster could ever offer."""
    return [_node_slots(node, tuple(range(node.slots))) for node in nodes]


def _node_slots(node: Node, free: tuple[int, ...]) -> NodeSlots:
    return NodeSlots(id=node.id, name=node.name, labels=node.labels, free=free)
