"""Webhooks: URLs that receive events, and the deliveries to them."""

from collections.abc import Iterator, Mapping
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.views import webhooks as views
from ringscope.client.views.webhooks import Delivery, NewWebhook


class Webhook(views.Webhook):
    """A URL that receives events."""

    def body(self) -> dict[str, Any]:
        """Return the request body of a PUT."""
        return self.model_dump(mode="json", include={"name", "url", "events", "is_enabled"})


class WebhookRoutes(Connection):
    """/webhooks."""

    def webhooks(self) -> list[Webhook]:
        """All webhooks."""
        return [Webhook.read(item) for item in self._items("/webhooks")]

    def webhook(self, webhook_id: int) -> Webhook:
        """One webhook."""
        return Webhook.read(self._get(f"/webhooks/{webhook_id}"))

    def add_webhook(self, body: Mapping[str, Any]) -> NewWebhook:
        """Make a webhook of name, url, events and is_enabled."""
        return NewWebhook.read(self._create("/webhooks", body))

    def replace_webhook(self, webhook_id: int, body: Mapping[str, Any], revision: int | None = None) -> Webhook:
        """Change a webhook; with a revision only if it still has it."""
        return Webhook.read(self._change("PUT", f"/webhooks/{webhook_id}", body, revision))

    def remove_webhook(self, webhook_id: int) -> None:
        """End a webhook."""
        self._remove(f"/webhooks/{webhook_id}")

    def test_webhook(self, webhook_id: int) -> Delivery:
        """Send it a message of type webhook.test."""
        return Delivery.read(self._create(f"/webhooks/{webhook_id}/test"))

    def deliveries(self, webhook_id: int, limit: int | None = None) -> Iterator[Delivery]:
        """Yield its messages, newest first; pages are read on demand."""
        return map(Delivery.read, self._items(f"/webhooks/{webhook_id}/deliveries", limit=limit))

    def redeliver(self, webhook_id: int, delivery_id: int) -> Delivery:
        """Send the same message once more."""
        return Delivery.read(self._create(f"/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver"))
