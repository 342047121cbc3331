"""The tables. Times are UTC; durations carry their unit in the name."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    MetaData,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy import DateTime as SqlDateTime
from sqlalchemy import Integer as SqlInteger
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class UtcDateTime(TypeDecorator[datetime]):
    """Aware datetimes in, aware UTC datetimes out: SQLite itself keeps no zone."""

    impl = SqlDateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse naive times, store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone must not reach the database")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)


# SQLite only counts up by itself in a plain INTEGER key; elsewhere ids are 64 bit.
BigKey = BigInteger().with_variant(SqlInteger, "sqlite")


class Base(DeclarativeBase):
    """Declarative base; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: UtcDateTime, dict[str, Any]: JSON, str: Text, list[dict[str, Any]]: JSON}


class Job(Base):
    """What was asked for (spec, never changed) and where it stands."""

    __tablename__ = "jobs"
    __table_args__ = (Index("ix_jobs_state_priority", "state", "priority", "id"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str]
    kind: Mapped[str]
    spec: Mapped[dict[str, Any]]
    user: Mapped[str]
    priority: Mapped[int]
    labels: Mapped[dict[str, Any]]
    state: Mapped[str]
    reason: Mapped[str | None]
    message: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    pending_reason: Mapped[str | None]
    pending_sentence: Mapped[str | None]
    estimated_start: Mapped[datetime | None]
    # Kept beside the job, so that a page of jobs never reads measurement rows.
    rows_done: Mapped[int] = mapped_column(default=0)
    summary: Mapped[dict[str, Any]]
    attempts: Mapped[list["Attempt"]] = relationship(back_populates="job", order_by="Attempt.number", lazy="raise")


class Attempt(Base):
    """One gang: one try at running a job."""

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("job_id", "number"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    number: Mapped[int]
    token: Mapped[str]
    is_launched: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    # Nodes and ranks as they told it; read only where it is asked for, as a large gang has much to tell.
    environment: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    job: Mapped[Job] = relationship(back_populates="attempts", lazy="raise")
    members: Mapped[list["Member"]] = relationship(back_populates="attempt", order_by="Member.member", lazy="raise")


class Member(Base):
    """One node's share of a gang and how far the node has come with it."""

    __tablename__ = "members"
    __table_args__ = (Index("ix_members_node_phase", "node_id", "phase"),)

    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    member: Mapped[int] = mapped_column(primary_key=True)
    node_id: Mapped[int] = mapped_column(ForeignKey("nodes.id"))
    slots: Mapped[int]
    first_rank: Mapped[int]
    phase: Mapped[str]  # assigned, ready, running, ended, clean
    proxy: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    last_sequence: Mapped[int] = mapped_column(default=0)
    attempt: Mapped[Attempt] = relationship(back_populates="members", lazy="raise")
    node: Mapped["Node"] = relationship(lazy="raise")


class Allocation(Base):
    """One slot given to one rank. The partial unique index is the last guard against giving a slot twice."""

    __tablename__ = "allocations"
    __table_args__ = (
        Index(
            "uq_allocations_active_slot",
            "node_id",
            "slot",
            unique=True,
            sqlite_where=text("is_active"),
            postgresql_where=text("is_active"),
        ),
    )

    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    node_id: Mapped[int] = mapped_column(ForeignKey("nodes.id"))
    slot: Mapped[int]
    is_active: Mapped[bool]


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
    desired: Mapped[str]
    observed: Mapped[str]
    epoch: Mapped[int]
    registered_at: Mapped[datetime]
    last_heartbeat_at: Mapped[datetime]


class Measurement(Base):
    """One row of a sweep's table."""

    __tablename__ = "measurements"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    collective: Mapped[str]
    algorithm: Mapped[str]
    chosen_algorithm: Mapped[str | None]
    chosen_because: Mapped[str | None]
    transport: Mapped[str]
    in_place: Mapped[bool]
    cycle: Mapped[int]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    count: Mapped[int] = mapped_column(BigInteger)
    dtype: Mapped[str]
    op: Mapped[str]
    ranks: Mapped[int]
    iterations: Mapped[int]
    time_us: Mapped[float]
    algbw_gb_per_s: Mapped[float]
    busbw_gb_per_s: Mapped[float]
    wrong: Mapped[int | None] = mapped_column(BigInteger)
    min_us: Mapped[float]
    mean_us: Mapped[float]
    p50_us: Mapped[float]
    p95_us: Mapped[float]
    p99_us: Mapped[float]
    max_us: Mapped[float]
    stdev_us: Mapped[float]
    cv_percent: Mapped[float]
    measured_at: Mapped[datetime]


class Step(Base):
    """One step of one rank with its exact times."""

    __tablename__ = "steps"
    __table_args__ = (Index("ix_steps_job_rank_step", "job_id", "rank", "step"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"))
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    rank: Mapped[int]
    step: Mapped[int]
    op: Mapped[str]
    algorithm: Mapped[str]
    transport: Mapped[str]
    in_place: Mapped[bool]
    bytes: Mapped[int] = mapped_column(BigInteger)
    started_at_ns: Mapped[int] = mapped_column(BigInteger)
    duration_us: Mapped[float]
    compute_us: Mapped[float]
    communication_us: Mapped[float]
    exposed_us: Mapped[float]
    loss: Mapped[float | None]


class LogLine(Base):
    """One line of output of a job."""

    __tablename__ = "log_lines"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    node: Mapped[str]
    rank: Mapped[int | None]
    stream: Mapped[str]
    time_ns: Mapped[int] = mapped_column(BigInteger)
    text: Mapped[str]


class Event(Base):
    """Something that happened, and who did it. Rows are only ever added."""

    __tablename__ = "events"
    __table_args__ = (Index("ix_events_target", "target_type", "target_id", "id"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    time: Mapped[datetime]
    actor: Mapped[str]
    action: Mapped[str]
    target_type: Mapped[str]
    target_id: Mapped[str]
    before: Mapped[str | None]
    after: Mapped[str | None]
    message: Mapped[str] = mapped_column(default="")


class Token(Base):
    """A secret that opens the API, kept only as its SHA-256: a person's, an agent's, a login link's or a session's."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    kind: Mapped[str]  # personal, agent, login, session
    role: Mapped[str]  # viewer, operator, admin, agent
    sha256: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]


class IdempotencyKey(Base):
    """A POST that was carried out under a key, so that sending it again answers the same and does nothing."""

    __tablename__ = "idempotency_keys"

    user: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    body_sha256: Mapped[str]
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"))
    created_at: Mapped[datetime]
