"""Actions of people on nodes: label, drain, resume, release a slot, remove. Each writes an event."""

from collections.abc import Callable, Mapping
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.words.job_states import ACTIVE
from ringscope_server.db.models import Allocation, Attempt, Job, Member, Node, QuarantinedSlot, Token
from ringscope_server.events import audit
from ringscope_server.nodes import health, labels

# Looks at the revision before a change, and raises what the caller must be told.
Check = Callable[[int], None]


class UnknownNodeError(Exception):
    """There is no node of this name."""


class NodeStateError(Exception):
    """The node is not in a state in which this can be done; the message is a sentence with the remedy."""


async def find(session: AsyncSession, name: str, check: Check) -> Node:
    """Return a node to change, locked until the transaction ends. Raises UnknownNodeError, or what ``check`` raises."""
    query = select(Node).where(Node.name == name, Node.removed_at.is_(None))
    node = await session.scalar(query.with_for_update(key_share=True))
    if node is None:
        raise UnknownNodeError(name)
    check(node.revision)
    return node


def set_labels(session: AsyncSession, node: Node, changes: Mapping[str, str | None], user: str, now: datetime) -> None:
    """Set labels and, with None, remove labels."""
    before = labels.effective(node)
    labels.merge(node, changes)
    node.revision += 1
    _record(session, node, "labelled", user, now, before=_words(before), after=_words(labels.effective(node)))


def drain(session: AsyncSession, node: Node, reason: str, user: str, now: datetime) -> None:
    """Give the node no new work; running jobs continue. A repeated drain changes nothing."""
    if (node.desired, node.desired_reason) == ("drain", reason):
        return
    before = _want(node, "drain", reason, user, now)
    _record(session, node, "drained", user, now, before=before, after="drain", message=reason)


async def resume(session: AsyncSession, node: Node, user: str, now: datetime) -> None:
    """Give the node work again, and accept its present hardware as what it should have."""
    before = _want(node, "active", "", user, now)
    health.accept(node)
    _record(session, node, "resumed", user, now, before=before, after="active")
    await health.review(session, node, now)


async def release_slot(session: AsyncSession, node: Node, slot: int, user: str, now: datetime) -> None:
    """Release a quarantined slot on a person's word. Raises NodeStateError if it is not quarantined."""
    row = await session.get(QuarantinedSlot, (node.id, slot))
    if row is None:
        raise NodeStateError(f"Slot {slot} of node {node.name} is not quarantined; there is nothing to release.")
    await session.delete(row)
    await session.flush()
    share = (Allocation.attempt_id == row.attempt_id, Allocation.node_id == node.id)
    await session.execute(update(Allocation).where(*share, Allocation.slot == slot).values(is_active=False))
    if not await session.scalar(select(func.count()).select_from(Allocation).where(*share, Allocation.is_active)):
        # The agent need not go on trying: for the server nothing of the attempt is left on this node.
        of_node = (Member.attempt_id == row.attempt_id, Member.node_id == node.id)
        await session.execute(update(Member).where(*of_node).values(phase="clean"))
    sentence = f"Slot {slot}, quarantined because: {row.message}"
    _record(session, node, "slot_released", user, now, before="quarantined", after="free", message=sentence)
    await health.review(session, node, now)


async def remove(session: AsyncSession, node: Node, user: str, now: datetime) -> None:
    """Remove a lost node from the lists, and end its own tokens. Raises NodeStateError while it lives or holds a job.

    Its row stays, because its jobs refer to it, and so do slots that were never proven free: if its agent returns with
    a token, it must end what is left there.
    """
    if node.observed != "lost":
        raise NodeStateError(f"Node {node.name} is {node.observed}; stop its agent and wait until the node is lost.")
    job_id = await unfinished_job(session, node)
    if job_id is not None:
        raise NodeStateError(f"Job {job_id} still has a part on node {node.name}; cancel it or wait until it ends.")
    await take_off(session, node, now)
    _record(session, node, "removed", user, now, before=node.observed, after="removed")


async def unfinished_job(session: AsyncSession, node: Node) -> int | None:
    """Return a job that has a part on the node and is not over."""
    return await session.scalar(
        select(Job.id)
        .join(Attempt, Attempt.job_id == Job.id)
        .join(Member, Member.attempt_id == Attempt.id)
        .where(Member.node_id == node.id, Job.state.in_(ACTIVE), Attempt.finished_at.is_(None))
        .limit(1)
    )


async def take_off(session: AsyncSession, node: Node, now: datetime) -> None:
    """Take the node off the lists and end its own tokens."""
    node.removed_at = now
    node.revision += 1
    await session.execute(delete(Token).where(Token.kind == "agent", Token.node == node.name))


def _want(node: Node, desired: str, reason: str, user: str, now: datetime) -> str:
    before = node.desired
    node.desired, node.desired_reason, node.desired_by, node.desired_at = desired, reason, user, now
    node.revision += 1
    return before


def _record(
    session: AsyncSession,
    node: Node,
    what: str,
    user: str,
    now: datetime,
    *,
    before: str,
    after: str,
    message: str = "",
) -> None:
    target = ("node", node.name)
    audit.record(session, now, user, f"node.{what}", target, before=before, after=after, message=message)


def _words(carried: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(carried.items()))
