"""Queries of results for people: every list ascends by id, so that a cursor also follows a running job."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db import keyset
from ringscope_server.db.models import Attempt, Import, Job, Measurement, Step
from ringscope_server.results import clocks
from ringscope_server.results.arrivals import arrival
from ringscope_server.results.clocks import Seat
from ringscope_server.results.step_rows import StepFilter
from ringscope_server.results.views import ArrivalView, AttemptEnvironment, MeasurementView, StepView

# A page of steps reads no more of them, however few match.
SEEN_ROWS = 20_000
# A large gang has very many; ORM objects would take several times as long.
_OF_A_START = (Step.step, Step.rank, Step.started_at_ns, Step.op, Step.algorithm, Step.in_place, Step.bytes)


async def attempt_of(session: AsyncSession, job_id: int, number: int | None) -> int | None:
    """Return the id of the attempt of a job with this number, or of its newest one; None if there is none."""
    query = select(Attempt.id).where(Attempt.job_id == job_id).order_by(Attempt.number.desc()).limit(1)
    return await session.scalar(query if number is None else query.where(Attempt.number == number))


async def measurements(
    session: AsyncSession, attempt_id: int | None, limit: int, after: int | None
) -> list[MeasurementView]:
    """Return the rows of the sweep's table, as one attempt measured it."""
    query = select(Measurement).where(Measurement.attempt_id == attempt_id)
    rows = await session.scalars(keyset.after(query, Measurement, limit, after))
    return [measurement_view(row) for row in rows]


async def imported_rows(session: AsyncSession, job_id: int) -> list[Measurement]:
    """Return the rows of an imported job, numbered from 1, as if they were stored; [] for any other job."""
    query = select(Import.rows, Job.created_at).join(Job, Job.id == Import.job_id).where(Import.job_id == job_id)
    found = (await session.execute(query)).one_or_none()
    if found is None:
        return []
    return [
        Measurement(**row, id=number, job_id=job_id, measured_at=found.created_at)
        for number, row in enumerate(found.rows, 1)
    ]


async def imported_measurements(
    session: AsyncSession, job_id: int, limit: int, after: int | None
) -> list[MeasurementView]:
    """Return a page of the rows of an imported job."""
    rows = await imported_rows(session, job_id)
    return [measurement_view(row) for row in rows[after or 0 :][:limit]]


async def tally_of(session: AsyncSession, job_id: int, attempt_id: int | None) -> dict[str, Any] | None:
    """Return the stored comparison of an attempt, or of an imported job, which has none; None without rows."""
    if attempt_id is None:
        return await session.scalar(select(Import.tally).where(Import.job_id == job_id))
    return await session.scalar(select(Attempt.tally).where(Attempt.id == attempt_id))


async def steps(
    session: AsyncSession, wanted: StepFilter, limit: int, after: int | None
) -> tuple[list[StepView], int | None]:
    """Return steps of an attempt and the key after which the next page begins, None on the last page.

    Not every row that is read matches: a page may have fewer than ``limit`` rows, or none, and not be the last.
    """
    all_of_it = select(Step.id).where(Step.attempt_id == wanted.attempt_id)
    seen = await session.scalar(keyset.after(all_of_it, Step, 1, after).offset(SEEN_ROWS))
    query = wanted.of(select(Step))
    if seen is not None:
        query = query.where(Step.id < seen)
    rows = (await session.scalars(keyset.after(query, Step, limit, after))).all()
    seats = await clocks.seats(session, wanted.attempt_id)
    views = [_step_view(row, seats.get(row.rank)) for row in rows]
    if len(rows) == limit:
        return views, rows[-1].id
    return views, None if seen is None else seen - 1


async def arrivals(session: AsyncSession, attempt_id: int | None, limit: int, after: int | None) -> list[ArrivalView]:
    """Return the last arrival of each step that every rank has reported; ``after`` is the step before."""
    seats = await clocks.seats(session, attempt_id)
    told = (Step.attempt_id == attempt_id, Step.step > (-1 if after is None else after))
    complete = select(Step.step).where(*told).group_by(Step.step).having(func.count() == len(seats))
    numbers = (await session.scalars(complete.order_by(Step.step).limit(limit))).all()
    rows = await session.execute(select(*_OF_A_START).where(*told, Step.step.in_(numbers)).order_by(Step.step))
    found = (_arrival_view(list(each), seats) for _, each in groupby(rows, lambda row: row.step))
    return [view for view in found if view is not None]


async def environments(session: AsyncSession, job_id: int) -> list[AttemptEnvironment]:
    """Return the environment of each attempt of a job, as far as its ranks have reported it."""
    query = select(Attempt.number, Attempt.environment).where(Attempt.job_id == job_id).order_by(Attempt.number)
    rows = await session.execute(query)
    return [AttemptEnvironment.model_validate({"attempt": number, **told}) for number, told in rows if told]


def _step_view(row: Step, seat: Seat | None) -> StepView:
    view = StepView.model_validate(row, from_attributes=True)
    if seat is not None and seat.clock is not None:
        view.server_time_ns = seat.clock.server_time_ns(row.started_at_ns)
        view.clock_error_us = seat.clock.error_us(row.started_at_ns)
    return view


def _arrival_view(rows: Sequence[Any], seats: Mapping[int, Seat]) -> ArrivalView | None:
    found = arrival([seats[row.rank].start(row.rank, row.started_at_ns) for row in rows if row.rank in seats])
    if found is None:
        return None
    step = rows[0]
    return ArrivalView(
        step=step.step,
        op=step.op,
        algorithm=step.algorithm,
        in_place=step.in_place,
        bytes=step.bytes,
        last_rank=found.last_rank,
        last_node=seats[found.last_rank].node,
        late_us=found.late_us,
        error_us=found.error_us,
        is_real=found.is_real,
        spread_us=found.spread_us,
    )


def measurement_view(row: Measurement) -> MeasurementView:
    """Return a row as the API shows it."""
    return MeasurementView.model_validate(row, from_attributes=True)
