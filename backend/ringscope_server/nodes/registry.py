"""Registration of agents: each gets an epoch, under which it speaks for its node."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.protocol import Registration
from ringscope_server.db.models import Member, Node
from ringscope_server.events import audit
from ringscope_server.nodes import agent_versions, health


class StaleEpochError(Exception):
    """The request has an epoch that is no longer valid for this name."""


class Speaker(NamedTuple):
    """A node whose agent has the valid epoch."""

    node_id: int
    is_lost: bool
    refusal: str  # why this server accepts no heartbeat of its agent; empty: it does


@dataclass
class Registered:
    """A registered node, and all nodes whose assignments contain it."""

    node: Node
    refusal: str  # why this server does not accept its agent; empty: it does
    gangs: set[int] = field(default_factory=set)


async def register(session: AsyncSession, registration: Registration, now: datetime) -> Registered:
    """Register a node, also again: the new epoch fences whatever an older agent of that name still sends.

    A node whose agent is too old for this server is lost, with that as the reason.
    """
    query = select(Node).where(Node.name == registration.name)
    node = await session.scalar(query.with_for_update(key_share=True))
    if node is None:
        node = Node(name=registration.name, desired="active", epoch=0, registered_at=now)
        node.label_overrides, node.expected_slots, node.expected_gpus = {}, 0, 0
    before = "removed" if node.removed_at is not None else node.observed
    _describe(node, registration)
    node.removed_at = None
    node.epoch += 1
    node.last_heartbeat_at = now
    health.compare(node)
    found = health.faults(node, await health.unproven_slots(session, node) if node.id else ())
    refusal = agent_versions.refusal(node.agent_version)
    node.observed, node.observed_reason = "degraded" if found else "ready", " ".join(found)
    if refusal:
        node.observed, node.observed_reason = "lost", refusal
    session.add(node)
    await session.flush()
    audit.record(
        session,
        now,
        f"node/{node.name}",
        "node.registered",
        ("node", node.name),
        before=before,
        after=node.observed,
        message=node.observed_reason,
    )
    return Registered(node, refusal, {node.id, *await _gang_mates(session, node.id)})


async def speaker(session: AsyncSession, name: str, epoch: int) -> Speaker:
    """Return the node of this name and epoch. Raises StaleEpochError."""
    version = Node.versions["ringscope"].as_string().label("version")
    query = select(Node.id, Node.epoch, Node.observed, version).where(Node.name == name, Node.removed_at.is_(None))
    row = (await session.execute(query)).one_or_none()
    if row is None or row.epoch != epoch:
        raise StaleEpochError(name)
    return Speaker(row.id, row.observed == "lost", agent_versions.refusal(row.version))


async def ids_named(session: AsyncSession, name: str) -> set[int]:
    """Return the id of the node of this name on the lists, if there is one."""
    return set(await session.scalars(select(Node.id).where(Node.name == name, Node.removed_at.is_(None))))


async def take_back(session: AsyncSession, node_id: int, now: datetime) -> None:
    """Note that a lost node has sent a request."""
    node = await session.get_one(Node, node_id, with_for_update={"key_share": True})
    node.last_heartbeat_at = now
    await health.review(session, node, now)


def _describe(node: Node, registration: Registration) -> None:
    node.address = registration.address
    node.slots = registration.slots
    node.metrics_address = registration.metrics_address
    node.inventory = registration.inventory.model_dump()
    node.versions = dict(registration.versions)
    node.labels = dict(registration.labels)
    node.leaves_at = registration.leaves_at
    node.load_average = None  # heartbeats keep the last known one, which an earlier agent measured, perhaps elsewhere
    if node.desired_by == audit.SYSTEM:  # drained as an earlier allocation of it came to its end
        node.desired, node.desired_reason, node.desired_by, node.desired_at = "active", "", None, None


async def _gang_mates(session: AsyncSession, node_id: int) -> set[int]:
    """Return the nodes that share a gang with this one: its address, which may have changed, is in their
    assignments.
    """
    attempts = select(Member.attempt_id).where(Member.node_id == node_id, Member.phase != "clean")
    return set(await session.scalars(select(Member.node_id).where(Member.attempt_id.in_(attempts))))
