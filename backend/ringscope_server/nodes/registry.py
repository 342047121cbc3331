"""Nodes come, are heard of, and are lost."""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.protocol import HEARTBEAT_SECONDS, MISSED_HEARTBEATS_UNTIL_LOST, Registration
from ringscope_server.db.models import Node
from ringscope_server.events import log

LOST_AFTER = timedelta(seconds=HEARTBEAT_SECONDS * MISSED_HEARTBEATS_UNTIL_LOST)


class StaleEpochError(Exception):
    """The request comes from an agent that the server no longer listens to under this name."""


async def register(session: AsyncSession, registration: Registration, now: datetime) -> Node:
    """Take a node in, or take it back: the new epoch fences whatever an older agent of that name still sends."""
    node = await session.scalar(select(Node).where(Node.name == registration.name))
    if node is None:
        node = Node(name=registration.name, desired="active", epoch=0, registered_at=now)
        session.add(node)
    before = node.observed
    node.address = registration.address
    node.slots = registration.slots
    node.metrics_address = registration.metrics_address
    node.inventory = registration.inventory.model_dump()
    node.versions = dict(registration.versions)
    node.labels = dict(registration.labels)
    node.observed = "ready"
    node.epoch += 1
    node.last_heartbeat_at = now
    await session.flush()
    log.record(
        session,
        now,
        f"node/{node.name}",
        "node.registered",
        ("node", node.name),
        before=before,
        after="ready",
    )
    return node


async def heard_of(session: AsyncSession, name: str, epoch: int, now: datetime) -> tuple[Node, bool]:
    """The node that speaks, and whether it was lost until now. Raises StaleEpochError."""
    node = await session.scalar(select(Node).where(Node.name == name))
    if node is None or node.epoch != epoch:
        raise StaleEpochError
    node.last_heartbeat_at = now
    was_lost = node.observed == "lost"
    if was_lost:
        node.observed = "ready"
        log.record(session, now, log.SYSTEM, "node.back", ("node", name), before="lost", after="ready")
    return node, was_lost


async def mark_lost(session: AsyncSession, now: datetime) -> list[Node]:
    """Nodes that have missed their heartbeats and were not yet known to be lost."""
    silent = (
        await session.scalars(select(Node).where(Node.observed != "lost", Node.last_heartbeat_at < now - LOST_AFTER))
    ).all()
    for node in silent:
        age = (now - node.last_heartbeat_at).total_seconds()
        sentence = f"No heartbeat for {age:.0f} s."
        log.record(
            session,
            now,
            log.SYSTEM,
            "node.lost",
            ("node", node.name),
            before=node.observed,
            after="lost",
            message=sentence,
        )
        node.observed = "lost"
    return list(silent)
