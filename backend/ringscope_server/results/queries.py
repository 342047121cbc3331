"""What was measured, read for people: every list ascends by id, so that a cursor also follows a running job."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Attempt, Base, Event, LogLine, Measurement, Step
from ringscope_server.results.views import AttemptEnvironment, EventView, MeasurementView, StepView
from ringscope_server.results.views import LogLine as LogLineView


async def measurements(session: AsyncSession, job_id: int, limit: int, after: int | None) -> list[MeasurementView]:
    """Rows of the sweep's table."""
    query = select(Measurement).where(Measurement.job_id == job_id)
    rows = await session.scalars(_after(query, Measurement, limit, after))
    return [measurement_view(row) for row in rows]


async def steps(
    session: AsyncSession,
    job_id: int,
    limit: int,
    after: int | None,
    rank: int | None = None,
    algorithm: str | None = None,
) -> list[StepView]:
    """Steps of one rank or of all."""
    query = select(Step).where(Step.job_id == job_id)
    if rank is not None:
        query = query.where(Step.rank == rank)
    if algorithm is not None:
        query = query.where(Step.algorithm == algorithm)
    rows = await session.scalars(_after(query, Step, limit, after))
    return [StepView.model_validate(row, from_attributes=True) for row in rows]


async def log_lines(
    session: AsyncSession, job_id: int, limit: int, after: int | None, rank: int | None = None
) -> list[LogLineView]:
    """Output of one rank or of all."""
    query = select(LogLine).where(LogLine.job_id == job_id)
    if rank is not None:
        query = query.where(LogLine.rank == rank)
    rows = await session.scalars(_after(query, LogLine, limit, after))
    return [log_line_view(row) for row in rows]


async def events(
    session: AsyncSession, target_type: str, target_id: object, limit: int, after: int | None
) -> list[EventView]:
    """What happened to one thing."""
    query = select(Event).where(Event.target_type == target_type, Event.target_id == str(target_id))
    rows = await session.scalars(_after(query, Event, limit, after))
    return [EventView.model_validate(row, from_attributes=True) for row in rows]


async def environments(session: AsyncSession, job_id: int) -> list[AttemptEnvironment]:
    """What each attempt of a job ran in, as far as its ranks have told it."""
    query = select(Attempt.number, Attempt.environment).where(Attempt.job_id == job_id).order_by(Attempt.number)
    rows = await session.execute(query)
    return [AttemptEnvironment.model_validate({"attempt": number, **told}) for number, told in rows if told]


def measurement_view(row: Measurement) -> MeasurementView:
    """A row as the API shows it."""
    return MeasurementView.model_validate(row, from_attributes=True)


def log_line_view(row: LogLine) -> LogLineView:
    """A line as the API shows it."""
    return LogLineView.model_validate(row, from_attributes=True)


def _after(query: Any, table: type[Base], limit: int, after: int | None) -> Any:
    key = table.id  # type: ignore[attr-defined]  # every table read here has one
    if after is not None:
        query = query.where(key > after)
    return query.order_by(key).limit(limit)
