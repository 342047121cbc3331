"""The event table: what happened, and who did it."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Event

SYSTEM = "system"


def record(
    session: AsyncSession,
    now: datetime,
    actor: str,
    action: str,
    target: tuple[str, object],
    *,
    before: str | None = None,
    after: str | None = None,
    message: str = "",
) -> None:
    """Add one event to the transaction that makes the change."""
    target_type, target_id = target
    session.add(
        Event(
            time=now,
            actor=actor,
            action=action,
            target_type=target_type,
            target_id=str(target_id),
            before=before,
            after=after,
            message=message,
        )
    )
