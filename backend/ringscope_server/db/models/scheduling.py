"""Tables of the scheduler: usage for fair shares, and leases."""

from datetime import datetime

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base


class Usage(Base):
    """A user's share of the cluster so far: slot-seconds that decay with the policy's half-life."""

    __tablename__ = "usage"

    user: Mapped[str] = mapped_column(primary_key=True)
    slot_seconds: Mapped[float]  # as of updated_at
    updated_at: Mapped[datetime]


class Lease(Base):
    """The holder of a task that only one server may do. Each new holder raises the fence."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[str]
    fence: Mapped[int] = mapped_column(BigInteger)
    expires_at: Mapped[datetime]
