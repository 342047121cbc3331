"""Results that ranks of training reported beyond their steps."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base, BigKey


class Epoch(Base):
    """One epoch of a training job, as one attempt ended it."""

    __tablename__ = "epochs"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"))
    rank: Mapped[int]
    epoch: Mapped[int]
    step: Mapped[int]
    training_loss: Mapped[float | None]
    validation_loss: Mapped[float | None]
    validation_accuracy: Mapped[float | None]
    samples: Mapped[int] = mapped_column(BigInteger)
    duration_us: Mapped[float]
    validation_us: Mapped[float]
    checkpoint_us: Mapped[float]
    ended_at: Mapped[datetime]


class RankBuckets(Base):
    """The newest step of a rank of which the buckets of gradients were told; one row for each rank of an attempt."""

    __tablename__ = "rank_buckets"

    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    step: Mapped[int]
    backward_us: Mapped[float]
    buckets: Mapped[list[dict[str, Any]]]  # ringscope_server.training.views.Bucket, in the order of the sums


class RankPipelineStep(Base):
    """The newest step of a rank of a pipeline that was told from inside; one row for each rank of an attempt."""

    __tablename__ = "rank_pipeline_steps"

    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    told: Mapped[dict[str, Any]]  # ringscope.contracts.training.record.PipelineStep


class RankCollectives(Base):
    """The collectives that a script's rank has called until its newest report; one row for each rank of an attempt."""

    __tablename__ = "rank_collectives"

    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    told: Mapped[dict[str, Any]]  # ringscope.contracts.training.record.Collectives


class SearchRecord(Base):
    """A record of a strategy search, as an attempt reported it; together they are its state."""

    __tablename__ = "search_records"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), index=True)
    told: Mapped[dict[str, Any]]  # ringscope.contracts.search.record.SearchTold


class RankTotals(Base):
    """Sums over the training steps of one rank, so that a long job's figures need not be read from its steps.

    The first step, which warms up, is left out of the sums.
    """

    __tablename__ = "rank_totals"

    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    first_step: Mapped[int]
    last_step: Mapped[int]
    samples: Mapped[int] = mapped_column(BigInteger)
    duration_us: Mapped[float]
    compute_us: Mapped[float]
    communication_us: Mapped[float]
    exposed_us: Mapped[float]
    input_us: Mapped[float | None]  # null: not measured
    last_loss: Mapped[float | None]
