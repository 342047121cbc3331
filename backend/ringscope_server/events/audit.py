"""The event table: what happened, and who did it."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Event

SYSTEM = "system"
_RECORDED = "recorded_events"


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
    event = Event(
        time=now,
        actor=actor,
        action=action,
        target_type=target_type,
        target_id=str(target_id),
        before=before,
        after=after,
        message=message,
    )
    session.add(event)
    session.info.setdefault(_RECORDED, []).append(event)


def recorded(session: AsyncSession) -> list[Event]:
    """The events of this transaction so far, but for those that were rolled back to a savepoint."""
    return [event for event in session.info.get(_RECORDED, ()) if event in session]
