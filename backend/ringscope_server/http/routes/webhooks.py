"""/webhooks: receivers of events outside the server, and the deliveries to them."""

from fastapi import APIRouter, Response
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.findings import FieldError
from ringscope_server.db.models import Webhook, WebhookDelivery
from ringscope_server.http.auth import Admin
from ringscope_server.http.cursors import Cursor, Limit, decode, next_cursor
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.document import CREATED
from ringscope_server.http.etag import IfMatch, etag, require_match
from ringscope_server.http.idempotency import IdempotencyKey
from ringscope_server.http.lookups import Id
from ringscope_server.http.problems import Problem, invalid, not_found
from ringscope_server.services import Services
from ringscope_server.urls import ForbiddenAddressError, addresses_of, networks
from ringscope_server.webhooks import service
from ringscope_server.webhooks.views import (
    DeliveryPage,
    DeliveryView,
    NewWebhook,
    WebhookBody,
    WebhookPage,
    WebhookView,
)

router = APIRouter(prefix="/webhooks", tags=["webhooks"])


@router.post("", status_code=201, responses=CREATED, operation_id="create_webhook")
async def create_webhook(
    body: WebhookBody,
    user: Admin,
    services: ServicesDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> NewWebhook:
    """Subscribe to events by signed messages (Standard Webhooks). Store the secret: it is shown only here."""
    await _check_reachable(services, body)
    async with services.database.write() as session:
        webhook = await service.create(session, body, user.name, idempotency_key, services.now())
    response.headers.update({"Location": f"/api/v1/webhooks/{webhook.id}", "ETag": etag(webhook.revision)})
    return NewWebhook.model_validate(webhook)


@router.get("", operation_id="list_webhooks")
async def list_webhooks(user: Admin, services: ServicesDep, limit: Limit = 50, cursor: Cursor = None) -> WebhookPage:
    """List webhooks, newest first."""
    async with services.database.read() as session:
        items = await service.page(session, limit, decode(cursor))
    views = [WebhookView.model_validate(webhook) for webhook in items]
    return WebhookPage(items=views, next=next_cursor([view.id for view in views], limit))


@router.get("/{webhook_id}", operation_id="get_webhook")
async def get_webhook(webhook_id: Id, user: Admin, services: ServicesDep, response: Response) -> WebhookView:
    """Return one webhook."""
    async with services.database.read() as session:
        return _answer(await _found(session, webhook_id), response)


@router.put("/{webhook_id}", operation_id="replace_webhook")
async def replace_webhook(
    webhook_id: Id,
    body: WebhookBody,
    user: Admin,
    services: ServicesDep,
    response: Response,
    if_match: IfMatch = None,
) -> WebhookView:
    """Change a webhook; its secret stays. Fields that are left out take their defaults."""
    await _check_reachable(services, body)
    async with services.database.write() as session:
        webhook = await _found(session, webhook_id, to_change=True)
        require_match(if_match, webhook.revision)
        await service.replace(session, webhook, body, user.name, services.now())
    return _answer(webhook, response)


@router.delete("/{webhook_id}", status_code=204, operation_id="delete_webhook")
async def delete_webhook(webhook_id: Id, user: Admin, services: ServicesDep, if_match: IfMatch = None) -> None:
    """Remove a webhook and its deliveries."""
    async with services.database.write() as session:
        webhook = await _found(session, webhook_id, to_change=True)
        require_match(if_match, webhook.revision)
        await service.delete(session, webhook, user.name, services.now())


@router.post("/{webhook_id}/test", status_code=201, operation_id="test_webhook")
async def test_webhook(
    webhook_id: Id, user: Admin, services: ServicesDep, idempotency_key: IdempotencyKey = None
) -> DeliveryView:
    """Send a message of type webhook.test, whatever the webhook subscribes to."""
    try:
        async with services.database.write() as session:
            webhook = await _found(session, webhook_id, to_change=True)
            made = await service.test(session, webhook, user.name, idempotency_key, services.now())
    except service.WebhookDisabledError as error:
        raise _disabled(webhook_id) from error
    return DeliveryView.model_validate(made)


@router.get("/{webhook_id}/deliveries", operation_id="list_deliveries")
async def list_deliveries(
    webhook_id: Id, user: Admin, services: ServicesDep, limit: Limit = 50, cursor: Cursor = None
) -> DeliveryPage:
    """List its messages and their outcomes, newest first; they are kept for 30 days."""
    async with services.database.read() as session:
        await _found(session, webhook_id)
        items = await service.deliveries(session, webhook_id, limit, decode(cursor))
    views = [DeliveryView.model_validate(delivery) for delivery in items]
    return DeliveryPage(items=views, next=next_cursor([view.id for view in views], limit))


@router.post("/{webhook_id}/deliveries/{delivery_id}/redeliver", status_code=201, operation_id="redeliver")
async def redeliver(
    webhook_id: Id,
    delivery_id: Id,
    user: Admin,
    services: ServicesDep,
    idempotency_key: IdempotencyKey = None,
) -> DeliveryView:
    """Send the same message once more, under the same webhook-id."""
    try:
        async with services.database.write() as session:
            webhook = await _found(session, webhook_id, to_change=True)
            old = await session.get(WebhookDelivery, delivery_id)
            if old is None or old.webhook_id != webhook_id:
                raise not_found("delivery", delivery_id)
            made = await service.redeliver(session, webhook, old, user.name, idempotency_key, services.now())
    except service.WebhookDisabledError as error:
        raise _disabled(webhook_id) from error
    return DeliveryView.model_validate(made)


async def _check_reachable(services: Services, body: WebhookBody) -> None:
    """Check the URL before any session is opened, because names are resolved over the network."""
    try:
        await addresses_of(body.url, networks(services.settings.webhook_private_addresses), services.resolve)
    except ForbiddenAddressError as error:
        raise invalid([FieldError(pointer="/url", detail=f"url: {error}")]) from error


async def _found(session: AsyncSession, webhook_id: int, *, to_change: bool = False) -> Webhook:
    webhook = await session.get(Webhook, webhook_id, with_for_update={"key_share": True} if to_change else None)
    if webhook is None:
        raise not_found("webhook", webhook_id)
    return webhook


def _answer(webhook: Webhook, response: Response) -> WebhookView:
    response.headers["ETag"] = etag(webhook.revision)
    return WebhookView.model_validate(webhook)


def _disabled(webhook_id: int) -> Problem:
    return Problem(409, "wrong_state", f"Webhook {webhook_id} is disabled; enable it first.")
