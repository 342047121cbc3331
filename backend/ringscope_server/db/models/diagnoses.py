"""Measurements of pairs of nodes by diagnoses, and the verdicts."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base, BigKey


class LinkMeasurement(Base):
    """One measurement of a pair of nodes in a round of a diagnosis; rates are null if the pair hung or died.

    The first node has the smaller id, and ``there`` is from it to the second one. ``rail`` is the rail of both nodes
    that was measured; null: a rank for each node as a whole.
    """

    __tablename__ = "link_measurements"
    __table_args__ = (Index("ix_link_measurements_pair", "first_node_id", "second_node_id", "id"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), index=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"))
    round: Mapped[int]
    first_node_id: Mapped[int] = mapped_column(ForeignKey("nodes.id"))
    second_node_id: Mapped[int] = mapped_column(ForeignKey("nodes.id"))
    rail: Mapped[int | None]
    ending: Mapped[str]  # measured, hung, died
    is_loaded: Mapped[bool]  # other pairs loaded the same boundary at the same time
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    both_ways: Mapped[bool]
    there: Mapped[dict[str, Any] | None] = mapped_column(
        JSON(none_as_null=True)
    )  # ringscope.contracts.diagnosis.record.WayRate
    back: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    latency_us: Mapped[float | None]
    measured_at: Mapped[datetime]


class DiagnosisVerdict(Base):
    """The verdict of an attempt."""

    __tablename__ = "diagnosis_verdicts"

    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    told: Mapped[dict[str, Any]]  # ringscope.contracts.diagnosis.record.DiagnosisVerdict
