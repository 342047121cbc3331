"""Jobs, their attempts, and the slots that these hold."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ringscope_server.db.models.base import Base, BigKey
from ringscope_server.db.models.insights import Insight
from ringscope_server.db.models.nodes import Node

# A job of which the bandwidth is still to be judged. The index has the same condition, word for word.
IS_UNJUDGED = text("judgement IS NULL AND state = 'succeeded' AND kind IN ('benchmark', 'imported')")


class Job(Base):
    """A job: its specification, which never changes, and its state."""

    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_state_id", "state", "id"),
        Index("ix_jobs_user_id", "user", "id"),
        Index("ix_jobs_user_state_id", "user", "state", "id"),
        # Lists in these orders read the index, and of the jobs themselves only those that they show.
        Index("ix_jobs_busbw_gb_per_s_id", "busbw_gb_per_s", "id"),
        Index("ix_jobs_name_id", "name", "id"),
        Index("ix_jobs_ranks_id", "ranks", "id"),
        Index("ix_jobs_finished_at", "finished_at"),
        Index("ix_jobs_judgement_id", "judgement", "id"),
        Index("ix_jobs_unjudged", "id", sqlite_where=IS_UNJUDGED, postgresql_where=IS_UNJUDGED),
        # A schedule fires once for each of its times, whoever carries it out and however often.
        UniqueConstraint("schedule_id", "fire_time"),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    name: Mapped[str]
    kind: Mapped[str]
    spec: Mapped[dict[str, Any]]
    user: Mapped[str]
    priority: Mapped[int]
    labels: Mapped[dict[str, Any]]
    # Processes of the gang, beside the job so that queues and caps are counted without reading specifications.
    ranks: Mapped[int]
    # Likewise, so that lists are filtered and counted without them: of a benchmark what its sweep sums, and the names
    # names of its algorithms, or of what sums gradients in training, joined by commas.
    collective: Mapped[str | None]
    algorithms: Mapped[str] = mapped_column(default="")
    env_sha256: Mapped[str | None]  # digest of its environment variables, a part of its mode; null: it sets none
    note: Mapped[str] = mapped_column(default="")  # what people write about it
    # Grows with each edit of name, note, priority or labels: the ETag.
    revision: Mapped[int] = mapped_column(default=1)
    cloned_from: Mapped[int | None] = mapped_column(ForeignKey("jobs.id"))
    schedule_id: Mapped[int | None] = mapped_column(ForeignKey("schedules.id", ondelete="SET NULL"))
    fire_time: Mapped[datetime | None]
    state: Mapped[str]
    reason: Mapped[str | None]
    message: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    queued_at: Mapped[datetime]  # for the last time: a retry or a release starts the wait anew
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    # A retry starts no earlier than this, and not on these nodes (names) if others can hold it.
    not_before: Mapped[datetime | None]
    excluded_nodes: Mapped[list[str]] = mapped_column(default=list)
    pending_reason: Mapped[str | None]
    pending_sentence: Mapped[str | None]
    pending_position: Mapped[int | None]  # in the queue, from 1 on
    estimated_start: Mapped[datetime | None]
    # Kept beside the job, so that a page of jobs never reads measurement rows.
    rows_done: Mapped[int] = mapped_column(default=0)
    summary: Mapped[dict[str, Any]]
    busbw_gb_per_s: Mapped[
        float | None
    ]  # the best that a succeeded job measured; null also of a simulation, and where it was disturbed
    # Whether its bandwidth was what was to be expected when it ended: as_expected, low, above, impossible or unknown.
    judgement: Mapped[str | None]
    attempts: Mapped[list["Attempt"]] = relationship(back_populates="job", order_by="Attempt.number", lazy="raise")
    insights: Mapped[list[Insight]] = relationship(order_by="Insight.id", lazy="raise", viewonly=True)


class Attempt(Base):
    """One gang: one try at running a job."""

    __tablename__ = "attempts"
    __table_args__ = (
        UniqueConstraint("job_id", "number"),
        Index(
            "ix_attempts_uncharged",
            "finished_at",
            sqlite_where=text("charged_at IS NULL"),
            postgresql_where=text("charged_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    number: Mapped[int]
    token: Mapped[str]
    is_launched: Mapped[bool] = mapped_column(default=False)
    # Why this try ended; the node (name) that is to blame and the rank that it was about, if there is one.
    reason: Mapped[str | None]
    message: Mapped[str] = mapped_column(default="")
    bad_node: Mapped[str | None]
    bad_rank: Mapped[int | None]
    is_hearsay: Mapped[bool] = mapped_column(default=False)  # the reason, which a node that knows better may correct
    # What else its nodes did meanwhile, in a sentence; null: nothing that is known.
    disturbed_by: Mapped[str | None]
    created_at: Mapped[datetime]
    # The limit of each part of its start, without what load and retries add; null unless a part took longer.
    start_limit_seconds: Mapped[float | None]
    progressed_at: Mapped[datetime | None]  # when the last part of its start was over; null: none was yet
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    charged_at: Mapped[datetime | None]  # when its slot-seconds were added to its user's usage
    # Nodes and ranks as they told it; read only where it is asked for, as a large gang has much to tell.
    environment: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    # What its auto chooses by, as it was known when the slots were given: ringscope.contracts.tuning.Table. Null where
    # nothing chooses.
    tuning: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    # What its rows come to: ringscope_server.jobs.tally. Null before the first one, and of training.
    tally: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
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
    phase: Mapped[str]  # assigned, ready, running, ended, quarantined, clean
    ready_at: Mapped[datetime | None]  # when it came to a phase; null: it has not, or went past it
    running_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    clean_at: Mapped[datetime | None]
    # The node's clock against the server's while the attempt ran: what compares ranks of several nodes.
    clock_offset_seconds: Mapped[float | None]
    clock_error_seconds: Mapped[float | None]
    proxy: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    load: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))  # ringscope.contracts.protocol.Load
    last_sequence: Mapped[int] = mapped_column(default=0)
    attempt: Mapped[Attempt] = relationship(back_populates="members", lazy="raise")
    node: Mapped[Node] = relationship(lazy="raise")


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


# Allocations that hold their slot. Written so, as SQLAlchemy's "is_active = 1" would make SQLite read the whole table
# instead of the partial index.
IS_HELD = text("allocations.is_active")
