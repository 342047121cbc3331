"""Nodes with a lifetime: they are drained before a batch system takes them back, and removed once they are gone."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import and_, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Member, Node
from ringscope_server.events import audit
from ringscope_server.nodes import service

LEAVE_MARGIN = timedelta(seconds=30)  # what runs there must have ended by then: time to prove it and to clean up
FORGOTTEN_AFTER = timedelta(minutes=5)  # silence of a node whose allocation may have ended before its time
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)  # earlier versions stored no time: none is before the year 1


class NodeHeldError(Exception):
    """An attempt is not yet proven gone from the node that wants to leave."""

    def __init__(self, attempt_id: int) -> None:
        super().__init__(attempt_id)
        self.attempt_id = attempt_id


def free_by(leaves_at: datetime | None) -> datetime | None:
    """Return when the last job on a node must have ended; None if the node stays."""
    return None if leaves_at is None else max(leaves_at, _FIRST) - LEAVE_MARGIN


async def leave(session: AsyncSession, node_id: int, now: datetime) -> None:
    """Remove a node whose agent ends for good from the lists. Raises NodeHeldError."""
    node = await session.get_one(Node, node_id, with_for_update={"key_share": True})
    held = select(Member.attempt_id).where(Member.node_id == node.id, Member.phase != "clean").limit(1)
    attempt_id = await session.scalar(held)
    if attempt_id is not None:
        raise NodeHeldError(attempt_id)
    await _take_off(session, node, f"node/{node.name}", "It left in good order.", now)


async def enforce(session: AsyncSession, now: datetime) -> list[Node]:
    """Drain the nodes that leave soon, and remove those that left without a report; return what was changed."""
    changed: list[Node] = []
    for node in await _due(session, now):
        if node.observed == "lost" and _is_over(node, now):
            if await service.unfinished_job(session, node) is None:
                await _take_off(session, node, audit.SYSTEM, "It is lost, and its allocation is over.", now)
                changed.append(node)
        elif node.desired == "active" and _leaves_soon(node, now):
            reason = f"Its allocation ends at {node.leaves_at:%H:%M:%S} UTC."
            service.drain(session, node, reason, audit.SYSTEM, now)
            changed.append(node)
    return changed


async def _due(session: AsyncSession, now: datetime) -> Sequence[Node]:
    """Return the nodes that may need an action."""
    is_to_be_drained = and_(Node.desired == "active", Node.leaves_at <= now + LEAVE_MARGIN)
    query = select(Node).where(
        Node.removed_at.is_(None), Node.leaves_at.is_not(None), or_(is_to_be_drained, Node.observed == "lost")
    )
    return (await session.scalars(query.order_by(Node.id).with_for_update(key_share=True))).all()


def _leaves_soon(node: Node, now: datetime) -> bool:
    return node.leaves_at is not None and node.leaves_at <= now + LEAVE_MARGIN


def _is_over(node: Node, now: datetime) -> bool:
    return node.leaves_at is not None and now >= min(node.leaves_at, node.last_heartbeat_at + FORGOTTEN_AFTER)


async def _take_off(session: AsyncSession, node: Node, actor: str, sentence: str, now: datetime) -> None:
    before = node.observed
    # Should the scheduler's pass of this moment still give it a job, that job has lost a node.
    node.observed, node.observed_reason = "lost", sentence
    await service.take_off(session, node, now)
    target = ("node", node.name)
    audit.record(session, now, actor, "node.left", target, before=before, after="removed", message=sentence)
