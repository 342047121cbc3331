"""Jobs at the times of a cron expression."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base


class Schedule(Base):
    """A job that is submitted again and again, at the times of a cron expression in a time zone."""

    __tablename__ = "schedules"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    cron: Mapped[str]
    timezone: Mapped[str]  # an IANA name, such as Europe/Berlin
    overlap: Mapped[str]  # skip, queue, replace: when the job before has not ended
    spec: Mapped[dict[str, Any]]
    user: Mapped[str]
    is_enabled: Mapped[bool]
    drain_on_blame: Mapped[float | None]  # the largest share of drained nodes up to which a blamed node is drained
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime]
    next_fire_at: Mapped[datetime | None] = mapped_column(index=True)
    last_fire_at: Mapped[datetime | None]
    last_job_id: Mapped[int | None] = mapped_column(BigInteger)
    last_outcome: Mapped[str] = mapped_column(default="")  # what became of the last time, in a sentence
