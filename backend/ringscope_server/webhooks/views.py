"""The API's views of webhooks and their deliveries."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ringscope.contracts.spec_model import SpecModel
from ringscope_server.db.names import Name
from ringscope_server.events.types import check_pattern
from ringscope_server.urls import check_url

DeliveryState = Literal["pending", "delivered", "failed"]
Pattern = Annotated[str, AfterValidator(check_pattern), Field(max_length=100)]


class WebhookBody(SpecModel):
    """The fields of a webhook that a person sets."""

    name: Name
    url: Annotated[str, AfterValidator(check_url)] = Field(
        max_length=2000,
        description="The http or https URL to which messages are posted. An address that is not public must be in the "
        "server's setting webhook_private_addresses.",
    )
    events: tuple[Pattern, ...] = Field(
        min_length=1, max_length=100, description="Event types such as job.failed, or job.* for all of jobs, or *."
    )
    is_enabled: bool = True


class WebhookView(BaseModel):
    """A webhook, without its secret."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    url: str
    events: list[str]
    is_enabled: bool
    user: str = Field(description="The user who made it.")
    revision: int = Field(description="The revision grows with each edit; the ETag is derived from it.")
    created_at: datetime


class NewWebhook(WebhookView):
    """A new webhook; its secret is shown only here."""

    secret: str = Field(description="The secret that signs the messages as in Standard Webhooks: whsec_ and base64.")


class WebhookPage(BaseModel):
    """A page of webhooks, newest first; pass ``next`` as ``cursor`` for the page after it."""

    items: list[WebhookView]
    next: str | None


class DeliveryView(BaseModel):
    """One message to one webhook, and its outcome."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    webhook_id: int
    message_id: str = Field(
        description="The header webhook-id, which is the same in every try and when the message is sent again."
    )
    event_type: str
    body: str = Field(description="The exact body that is signed and sent.")
    state: DeliveryState
    tries: int
    next_attempt_at: datetime | None = Field(
        description="The time of the next try; null once it is delivered or given up."
    )
    last_status: int | None = Field(description="HTTP status of the last answer; null if there was none.")
    last_error: str = Field(description="A sentence about the failure of the last try.")
    created_at: datetime
    delivered_at: datetime | None


class DeliveryPage(BaseModel):
    """A page of deliveries, newest first; pass ``next`` as ``cursor`` for the page after it."""

    items: list[DeliveryView]
    next: str | None
