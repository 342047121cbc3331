"""The outbox: messages are written in the same transaction as their events, or not at all."""

import json
import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Event, Webhook, WebhookDelivery
from ringscope_server.events import audit
from ringscope_server.events.types import matches
from ringscope_server.events.views import EventView
from ringscope_server.jobs import queries


class Outbox:
    """Fills itself before each commit. Without webhooks it queries only once."""

    def __init__(self) -> None:
        self._is_unused = False

    async def fill(self, session: AsyncSession) -> None:
        """Add one pending delivery for each of the transaction's events and each subscribed webhook."""
        events = audit.recorded(session)
        # Every change of a webhook is an event, and SQLite has no writers but those of this process.
        is_settled = not any(event.target_type == "webhook" for event in events)
        self._is_unused &= is_settled
        if not events or self._is_unused:
            return
        # Locked against removal until the commit; whoever writes a delivery locks it so anyway.
        enabled = select(Webhook).where(Webhook.is_enabled).with_for_update(read=True, key_share=True)
        webhooks = (await session.scalars(enabled)).all()
        self._is_unused = not webhooks and is_settled and session.get_bind().dialect.name == "sqlite"
        for event in events:
            listening = [webhook for webhook in webhooks if matches(webhook.events, event.action)]
            if listening:
                body = message(event.action, event.time, await _data(session, event))
                session.add_all(new_delivery(webhook, event.action, body, event.time) for webhook in listening)


def message(event_type: str, time: datetime, data: dict[str, Any]) -> str:
    """Return a message as in Standard Webhooks: type, timestamp, data."""
    return json.dumps({"type": event_type, "timestamp": time.isoformat(), "data": data}, separators=(",", ":"))


def new_delivery(
    webhook: Webhook, event_type: str, body: str, now: datetime, message_id: str | None = None
) -> WebhookDelivery:
    """Return a delivery that is due at once; without ``message_id`` it is of a new message."""
    return WebhookDelivery(
        webhook_id=webhook.id,
        message_id=message_id or f"msg_{secrets.token_urlsafe(18)}",
        event_type=event_type,
        body=body,
        state="pending",
        tries=0,
        next_attempt_at=now,
        last_error="",
        created_at=now,
    )


async def _data(session: AsyncSession, event: Event) -> dict[str, Any]:
    """Return the event, and the job, if it can be shown, in its state at the end of the transaction."""
    await session.flush()  # gives the event its id, and queries what the transaction has changed
    data = EventView.model_validate(event, from_attributes=True).model_dump(mode="json")
    if event.target_type == "job":
        for job in await queries.those(session, [int(event.target_id)]):
            data["job"] = job.model_dump(mode="json")
    return data
