"""Insights about a job, and the pulses by which hangs are detected."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base, BigKey


class Insight(Base):
    """Something that was found wrong with a job while it ran."""

    __tablename__ = "insights"
    __table_args__ = (
        Index(
            "ix_insights_active", "job_id", sqlite_where=text("until IS NULL"), postgresql_where=text("until IS NULL")
        ),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), index=True)
    kind: Mapped[str]  # ringscope_server.insights.kinds
    rank: Mapped[int | None]
    node: Mapped[str | None]  # by name
    message: Mapped[str]
    # Numbers behind it, and of a hang the stacks; read only where it is asked for.
    evidence: Mapped[dict[str, Any]] = mapped_column(deferred=True)
    since: Mapped[datetime]
    until: Mapped[datetime | None]


class Pulse(Base):
    """The last reported progress of an attempt's ranks on one node; the row exists while the attempt runs."""

    __tablename__ = "pulses"

    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    node_id: Mapped[int] = mapped_column(ForeignKey("nodes.id"), primary_key=True)
    heard_at: Mapped[datetime]
    time_us: Mapped[int] = mapped_column(BigInteger)  # by a clock of the node that never jumps
    ranks: Mapped[list[dict[str, Any]]]  # ringscope.contracts.protocol.RankPulse
