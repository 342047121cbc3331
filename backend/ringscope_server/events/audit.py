"""The event table: what happened, and who did it."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

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


def record_change(
    session: AsyncSession,
    now: datetime,
    actor: str,
    action: str,
    target: tuple[str, object],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    message: str = "",
) -> None:
    """Add one event of fields that were changed: those that differ, as they were and as they are, in JSON."""
    was, now_is = differences(before, after)
    texts = json.dumps(was), json.dumps(now_is)
    record(session, now, actor, action, target, before=texts[0], after=texts[1], message=message)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the differences between two documents, down to the fields of the objects in them. Pure."""
    was: dict[str, Any] = {}
    now_is: dict[str, Any] = {}
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            old, new = differences(old, new)
        was |= {name: old} if name in before else {}
        now_is |= {name: new} if name in after else {}
    return was, now_is


def recorded(session: AsyncSession) -> list[Event]:
    """The events of this transaction so far, but for those that were rolled back to a savepoint."""
    return [event for event in session.info.get(_RECORDED, ()) if event in session]
