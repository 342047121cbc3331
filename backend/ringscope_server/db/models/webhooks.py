"""Addresses that are told of events, and what was sent to them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base, BigKey


class Webhook(Base):
    """Somebody outside who wants to hear of events."""

    __tablename__ = "webhooks"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    url: Mapped[str]
    secret: Mapped[str]  # must be read to sign, so it cannot be a hash; shown once
    events: Mapped[list[str]]
    user: Mapped[str]
    is_enabled: Mapped[bool]
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime]


class WebhookDelivery(Base):
    """One message to one webhook: the outbox row, written with the event itself, and what came of it."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        Index("ix_webhook_deliveries_state_next_attempt_at", "state", "next_attempt_at"),
        Index("ix_webhook_deliveries_webhook_id_id", "webhook_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    message_id: Mapped[str]  # webhook-id of Standard Webhooks: the same for every try
    event_type: Mapped[str]
    body: Mapped[str]  # exactly what is signed and sent
    state: Mapped[str]  # pending, delivered, failed
    tries: Mapped[int] = mapped_column(default=0)
    next_attempt_at: Mapped[datetime | None]
    last_status: Mapped[int | None]
    last_error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    delivered_at: Mapped[datetime | None]
