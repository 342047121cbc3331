"""Webhooks: make, change, remove, test, send again."""

import base64
import secrets
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Webhook, WebhookDelivery
from ringscope_server.db.names import flush_named
from ringscope_server.events import audit
from ringscope_server.urls import masked
from ringscope_server.users import idempotency
from ringscope_server.webhooks.outbox import message, new_delivery
from ringscope_server.webhooks.views import WebhookBody

SECRET_BYTES = 32
TEST = "webhook.test"


class WebhookDisabledError(Exception):
    """A disabled webhook gets no messages."""


async def page(session: AsyncSession, limit: int, before: int | None = None) -> Sequence[Webhook]:
    """Webhooks newest first, those made before the one with the id ``before``."""
    query = select(Webhook).order_by(Webhook.id.desc()).limit(limit)
    if before is not None:
        query = query.where(Webhook.id < before)
    return (await session.scalars(query)).all()


async def deliveries(
    session: AsyncSession, webhook_id: int, limit: int, before: int | None = None
) -> Sequence[WebhookDelivery]:
    """A webhook's deliveries newest first, those made before the one with the id ``before``."""
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id)
    if before is not None:
        query = query.where(WebhookDelivery.id < before)
    return (await session.scalars(query.order_by(WebhookDelivery.id.desc()).limit(limit))).all()


async def create(session: AsyncSession, body: WebhookBody, user: str, key: str | None, now: datetime) -> Webhook:
    """Make a webhook; the same ``key`` and body give the first one again. Raises NameTakenError and KeyReusedError."""
    body_sha256 = idempotency.fingerprint("create webhook", body)
    if earlier := await idempotency.earlier(session, user, key, body_sha256):
        webhook = await session.get(Webhook, earlier.target_id)
        if webhook is None:  # made under this key, and removed since
            raise idempotency.KeyReusedError
        return webhook
    webhook = Webhook(**body.model_dump(mode="json"), secret=_new_secret(), user=user, created_at=now)
    session.add(webhook)
    await flush_named(session, "webhook", body.name)
    idempotency.remember(session, user, key, body_sha256, "webhook", webhook.id, now)
    audit.record(session, now, user, "webhook.created", ("webhook", webhook.id), after=body.name)
    return webhook


async def replace(session: AsyncSession, webhook: Webhook, body: WebhookBody, user: str, now: datetime) -> None:
    """Change a webhook; waiting messages of a disabled one are given up. Raises NameTakenError."""
    wanted = body.model_dump(mode="json")
    before = {name: getattr(webhook, name) for name in wanted}
    changed = [name for name, value in wanted.items() if before[name] != value]
    if not changed:
        return
    for name in changed:
        setattr(webhook, name, wanted[name])
    webhook.revision += 1
    await flush_named(session, "webhook", body.name)
    if not webhook.is_enabled:
        await give_up_waiting(session, webhook)
    # A URL may hold a secret, and more people read events than webhooks: of a URL only the server is told.
    was, now_is = (fields | {"url": masked(fields["url"])} for fields in (before, wanted))
    message = f"Changed: {', '.join(changed)}."
    audit.record_change(session, now, user, "webhook.changed", ("webhook", webhook.id), was, now_is, message)


async def delete(session: AsyncSession, webhook: Webhook, user: str, now: datetime) -> None:
    """Remove a webhook and its deliveries."""
    await session.delete(webhook)
    audit.record(session, now, user, "webhook.deleted", ("webhook", webhook.id), before=webhook.name)


async def disable(session: AsyncSession, webhook: Webhook, why: str, now: datetime) -> None:
    """Disable a webhook because its receiver asked for it."""
    webhook.is_enabled = False
    webhook.revision += 1
    await session.flush()
    await give_up_waiting(session, webhook)
    audit.record(session, now, audit.SYSTEM, "webhook.disabled", ("webhook", webhook.id), message=why)


async def test(session: AsyncSession, webhook: Webhook, user: str, key: str | None, now: datetime) -> WebhookDelivery:
    """Send a message of type webhook.test, whatever the webhook subscribes to. Raises WebhookDisabledError,
    KeyReusedError.
    """
    body = message(TEST, now, {"webhook": webhook.name, "user": user})
    delivery = new_delivery(webhook, TEST, body, now)
    return await _add(session, webhook, delivery, f"test webhook {webhook.id}", "webhook.tested", user, key, now)


async def redeliver(
    session: AsyncSession, webhook: Webhook, old: WebhookDelivery, user: str, key: str | None, now: datetime
) -> WebhookDelivery:
    """Send the same message once more. Raises WebhookDisabledError and KeyReusedError."""
    delivery = new_delivery(webhook, old.event_type, old.body, now, old.message_id)
    return await _add(session, webhook, delivery, f"redeliver {old.id}", "webhook.redelivered", user, key, now)


async def give_up_waiting(session: AsyncSession, webhook: Webhook) -> None:
    """End the deliveries that still wait."""
    await session.execute(
        update(WebhookDelivery)
        .where(WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.state == "pending")
        .values(state="failed", next_attempt_at=None, last_error="The webhook was disabled.")
    )


async def _add(
    session: AsyncSession,
    webhook: Webhook,
    delivery: WebhookDelivery,
    asked: str,
    action: str,
    user: str,
    key: str | None,
    now: datetime,
) -> WebhookDelivery:
    body_sha256 = idempotency.fingerprint(asked)
    if earlier := await idempotency.earlier(session, user, key, body_sha256):
        made = await session.get(WebhookDelivery, earlier.target_id)
        if made is None:  # pruned since
            raise idempotency.KeyReusedError
        return made
    if not webhook.is_enabled:
        raise WebhookDisabledError
    session.add(delivery)
    await session.flush()
    idempotency.remember(session, user, key, body_sha256, "webhook_delivery", delivery.id, now)
    audit.record(session, now, user, action, ("webhook", webhook.id), message=f"Message {delivery.message_id}.")
    return delivery


def _new_secret() -> str:
    return f"whsec_{base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"
