"""Deliveries in the database: claimed before a try, settled after it, dropped when old.

A claim is a conditional UPDATE that moves the time of the next try into the future. So no two servers send the same
delivery at once and no leader is needed, and what a server had claimed when it died comes due again by itself.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Select, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Webhook, WebhookDelivery
from ringscope_server.webhooks import service
from ringscope_server.webhooks.sender import Answer

CLAIM = timedelta(seconds=60)  # longer than a try can take
# Pauses between tries, as Standard Webhooks recommends them: given up after ten tries in about three days.
RETRY_SECONDS = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
AT_ONCE_TO_ONE = 4  # a receiver that hangs does not hold up the others
GONE = 410  # the receiver wants nothing more
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True)
class Claimed:
    """A delivery that only this server may try for the time ``CLAIM``."""

    id: int
    webhook_id: int
    url: str
    secret: str
    message_id: str
    body: str
    tries: int  # with this one


async def any_due(session: AsyncSession, now: datetime, underway: Mapping[int, int]) -> bool:
    """Return whether there is something to claim besides ``underway``, a number for each webhook's id."""
    return (await session.execute(_due(now, underway).limit(1))).first() is not None


async def claim(session: AsyncSession, now: datetime, room: int, underway: Mapping[int, int]) -> list[Claimed]:
    """Take up to ``room`` due deliveries, the longest due first, and not too many for one receiver."""
    query = _due(now, underway).order_by(WebhookDelivery.next_attempt_at, WebhookDelivery.id).limit(room)
    count, taken = Counter(underway), []
    for delivery, webhook in (await session.execute(query)).all():
        claimed = Claimed(
            id=delivery.id,
            webhook_id=webhook.id,
            url=webhook.url,
            secret=webhook.secret,
            message_id=delivery.message_id,
            body=delivery.body,
            tries=delivery.tries + 1,
        )
        values = {"next_attempt_at": now + CLAIM, "tries": claimed.tries}
        if count[webhook.id] < AT_ONCE_TO_ONE and await _change(session, claimed, delivery.tries, values):
            count[webhook.id] += 1
            taken.append(claimed)
    return taken


async def settle(session: AsyncSession, claimed: Claimed, answer: Answer, now: datetime) -> None:
    """Store the outcome of a try; nothing if the claim is no longer ours."""
    values: dict[str, object] = {"last_status": answer.status, "last_error": answer.error}
    if answer.is_delivered:
        values |= {"state": "delivered", "delivered_at": now, "next_attempt_at": None}
    elif answer.status == GONE or claimed.tries > len(RETRY_SECONDS):
        values |= {"state": "failed", "next_attempt_at": None}
    else:
        values |= {"next_attempt_at": now + timedelta(seconds=RETRY_SECONDS[claimed.tries - 1])}
    if not await _change(session, claimed, claimed.tries, values) or answer.status != GONE:
        return
    webhook = await session.get(Webhook, claimed.webhook_id, with_for_update={"key_share": True})
    if webhook is not None and webhook.is_enabled:
        await service.disable(session, webhook, "The receiver answered 410 Gone: it wants nothing more.", now)


async def prune(session: AsyncSession, now: datetime) -> None:
    """Delete finished deliveries that are too old to be of use."""
    await session.execute(
        delete(WebhookDelivery).where(WebhookDelivery.state != "pending", WebhookDelivery.created_at < now - KEPT_FOR)
    )


def _due(now: datetime, underway: Mapping[int, int]) -> Select[WebhookDelivery, Webhook]:
    busy = [webhook_id for webhook_id, count in underway.items() if count >= AT_ONCE_TO_ONE]
    return (
        select(WebhookDelivery, Webhook)
        .join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
        .where(
            WebhookDelivery.state == "pending",
            WebhookDelivery.next_attempt_at <= now,
            WebhookDelivery.webhook_id.not_in(busy),
            Webhook.is_enabled,
        )
    )


async def _change(session: AsyncSession, claimed: Claimed, tries: int, values: dict[str, object]) -> bool:
    """Change a delivery that still waits and has had ``tries`` tries; return False if another server was faster.

    Each claim counts one try. Its time is no identity, because it moves when the clock is set.
    """
    result = await session.execute(
        update(WebhookDelivery)
        .where(
            WebhookDelivery.id == claimed.id,
            WebhookDelivery.state == "pending",
            WebhookDelivery.tries == tries,
        )
        .values(**values)
        .execution_options(synchronize_session=False)
    )
    return bool(result.rowcount)  # type: ignore[attr-defined]  # an UPDATE's result is a CursorResult
