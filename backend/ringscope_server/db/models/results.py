"""Results that ranks reported: rows, steps, traced operations, lines of the log."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base, BigKey


class Measurement(Base):
    """One row of a sweep's table."""

    __tablename__ = "measurements"
    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), index=True)
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
    cores: Mapped[int | None]
    channels: Mapped[int | None]
    library_function: Mapped[str | None]
    nccl_report: Mapped[str | None]
    lowered_max_bytes: Mapped[int | None] = mapped_column(BigInteger)
    cuda_graph_launches: Mapped[int | None]
    iterations: Mapped[int]
    time_us: Mapped[float]
    time_low_us: Mapped[float | None]  # null in rows of earlier versions, like time_high_us and p5_us
    time_high_us: Mapped[float | None]
    device_time_us: Mapped[float | None]
    algbw_gb_per_s: Mapped[float]
    busbw_gb_per_s: Mapped[float]
    wrong: Mapped[int | None] = mapped_column(BigInteger)
    min_us: Mapped[float]
    mean_us: Mapped[float]
    p5_us: Mapped[float | None]
    p10_us: Mapped[float | None]  # null in rows of earlier versions, like p90_us
    p50_us: Mapped[float]
    p90_us: Mapped[float | None]
    p95_us: Mapped[float]
    p99_us: Mapped[float]
    max_us: Mapped[float]
    stdev_us: Mapped[float]
    cv_percent: Mapped[float]
    rounds_us: Mapped[list[float] | None] = mapped_column(JSON(none_as_null=True))
    measured_at: Mapped[datetime]


class Step(Base):
    """One step of one rank with its exact times."""

    __tablename__ = "steps"
    __table_args__ = (Index("ix_steps_attempt_id_id", "attempt_id", "id"),)

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
    input_us: Mapped[float | None]  # null: not measured, as in a benchmark
    memory_bytes: Mapped[int | None] = mapped_column(BigInteger)  # only with the last step of a record
    loss: Mapped[float | None]  # null also where it was no finite number, which neither database keeps alike
    samples: Mapped[int | None]
    lag: Mapped[int | None]


class Trace(Base):
    """One operation of one rank, followed transfer by transfer: ``ringscope.contracts.record.Trace``."""

    __tablename__ = "traces"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"))
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), index=True)
    rank: Mapped[int]
    collective: Mapped[str]
    algorithm: Mapped[str]
    chosen_algorithm: Mapped[str | None]
    transport: Mapped[str]
    in_place: Mapped[bool]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    dtype: Mapped[str]
    started_at_ns: Mapped[int] = mapped_column(BigInteger)
    duration_ns: Mapped[int] = mapped_column(BigInteger)
    transfers: Mapped[list[list[Any]]] = mapped_column(JSON)  # ringscope.contracts.traced.TracedTransfer
    left_out: Mapped[int]


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
