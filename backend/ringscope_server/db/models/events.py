"""Events for the audit, for live pages and for webhooks."""

from datetime import datetime

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base, BigKey


class Event(Base):
    """Something that happened, and who did it. Rows are only ever added."""

    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_target", "target_type", "target_id", "id"),
        Index("ix_events_actor_id", "actor", "id"),
        Index("ix_events_time", "time"),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    time: Mapped[datetime]
    actor: Mapped[str]
    action: Mapped[str]
    target_type: Mapped[str]
    target_id: Mapped[str]
    before: Mapped[str | None]
    after: Mapped[str | None]
    message: Mapped[str] = mapped_column(default="")
