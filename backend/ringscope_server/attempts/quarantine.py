"""Slots that could not be proven free: they are not given away until they are, or until a person releases them."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Allocation, Member, QuarantinedSlot
from ringscope_server.events import audit


async def impose(session: AsyncSession, member: Member, message: str, now: datetime) -> None:
    """Keep a member's slots allocated and show the reason on its node, because processes of its ranks cannot be ended.

    The member's node must be loaded.
    """
    held = (
        await session.scalars(
            select(Allocation)
            .where(
                Allocation.attempt_id == member.attempt_id,
                Allocation.node_id == member.node_id,
                Allocation.is_active,
            )
            .order_by(Allocation.slot)
        )
    ).all()
    known = set(await session.scalars(select(QuarantinedSlot.slot).where(QuarantinedSlot.node_id == member.node_id)))
    for slot in sorted({allocation.slot for allocation in held} - known):
        session.add(
            QuarantinedSlot(
                node_id=member.node_id, slot=slot, attempt_id=member.attempt_id, message=message, created_at=now
            )
        )
    slots = ", ".join(str(allocation.slot) for allocation in held)
    sentence = f"Slots {slots}: {message}"
    audit.record(session, now, audit.SYSTEM, "node.quarantined", ("node", member.node.name), message=sentence)


async def lift(session: AsyncSession, member: Member, now: datetime) -> None:
    """Release the member's quarantined slots: the node has proven that nothing is left of the attempt."""
    lifted = (
        await session.scalars(
            delete(QuarantinedSlot)
            .where(QuarantinedSlot.node_id == member.node_id, QuarantinedSlot.attempt_id == member.attempt_id)
            .returning(QuarantinedSlot.slot)
        )
    ).all()
    if lifted:
        slots = ", ".join(str(slot) for slot in sorted(lifted))
        sentence = f"Slots {slots}: no process of the attempt is left."
        audit.record(session, now, audit.SYSTEM, "node.unquarantined", ("node", member.node.name), message=sentence)
