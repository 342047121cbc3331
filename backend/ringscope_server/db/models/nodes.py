"""Nodes, their load by the minute, and slots of theirs that nothing is placed on."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base


class Node(Base):
    """A machine that offers slots, as its agent described it."""

    __tablename__ = "nodes"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    address: Mapped[str]
    slots: Mapped[int]
    metrics_address: Mapped[str]
    inventory: Mapped[dict[str, Any]]
    versions: Mapped[dict[str, Any]]
    labels: Mapped[dict[str, Any]]
    # What people say beside or instead of the agent's labels; null takes a label away.
    label_overrides: Mapped[dict[str, Any]] = mapped_column(default=dict)
    revision: Mapped[int] = mapped_column(default=1)  # grows with each edit by a person: the ETag
    desired: Mapped[str]
    desired_reason: Mapped[str] = mapped_column(default="")
    desired_by: Mapped[str | None]
    desired_at: Mapped[datetime | None]
    observed: Mapped[str]
    observed_reason: Mapped[str] = mapped_column(default="")  # why it is degraded or lost, in words
    clock_offset_seconds: Mapped[float | None]  # the agent's clock minus the server's
    clock_error_seconds: Mapped[float | None]  # at most so far from the truth
    load_average: Mapped[float | None]  # by the newest heartbeat; null: it cannot measure it
    leaves_at: Mapped[datetime | None]  # its allocation by a batch system ends then
    # The most that it had since a person last took it as it is: fewer is a fault.
    expected_slots: Mapped[int] = mapped_column(default=0)
    expected_gpus: Mapped[int] = mapped_column(default=0)
    missing: Mapped[str] = mapped_column(default="")  # what it lacks of that, in words
    epoch: Mapped[int]
    registered_at: Mapped[datetime]
    last_heartbeat_at: Mapped[datetime]
    removed_at: Mapped[datetime | None]  # it left the lists; its name stays in the jobs that it ran

    @property
    def agent_version(self) -> str | None:
        """Ringscope's version on the node; None: its agent does not tell it."""
        return self.versions.get("ringscope")


class NodeMinute(Base):
    """The mean load of a node in one minute, kept for a day."""

    __tablename__ = "node_minutes"

    node_id: Mapped[int] = mapped_column(ForeignKey("nodes.id", ondelete="CASCADE"), primary_key=True)
    minute: Mapped[datetime] = mapped_column(primary_key=True, index=True)
    load_average: Mapped[float | None]
    memory_used_bytes: Mapped[int | None] = mapped_column(BigInteger)
    network_bytes_per_second: Mapped[float | None]
    gpu_utilization_ratio: Mapped[float | None]


class QuarantinedSlot(Base):
    """A slot that could not be proven free: never given away until it is, or until a person says so."""

    __tablename__ = "quarantined_slots"

    node_id: Mapped[int] = mapped_column(ForeignKey("nodes.id", ondelete="CASCADE"), primary_key=True)
    slot: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    message: Mapped[str]
    created_at: Mapped[datetime]
