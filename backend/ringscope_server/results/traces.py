"""Operations that a job traced transfer by transfer, joined from the reports of its ranks."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.choice.priced_call import executed_schedule, priced_call
from ringscope.contracts import record
from ringscope.contracts.job import JobSpec
from ringscope.contracts.operation_trace import OperationTrace, TracedOperation
from ringscope.contracts.words.devices import SIMULATED
from ringscope.cost.fitting.samples import Sample
from ringscope.cost.traces.operation_trace import Clock, joined
from ringscope_server.db.models import Measurement, Member, Trace
from ringscope_server.db.specs import read_spec
from ringscope_server.results import clocks
from ringscope_server.results.clocks import Seat

# The columns that identify an operation; it has one row for each rank.
_OPERATION = (
    Trace.collective,
    Trace.algorithm,
    Trace.chosen_algorithm,
    Trace.transport,
    Trace.in_place,
    Trace.size_bytes,
    Trace.dtype,
)


class TraceList(BaseModel):
    """Every operation that was traced in one attempt, in the order in which they were reported."""

    items: list[TracedOperation]


@dataclass(frozen=True)
class TraceFilter:
    """A filter for operations; None lets all pass."""

    size_bytes: int | None = None
    algorithm: str | None = None
    in_place: bool | None = None


@dataclass(frozen=True)
class ToldTrace:
    """The data of a trace, read in one session."""

    told: Sequence[record.Trace]
    clocks: dict[int, Clock]
    spec: JobSpec
    ranks_of_nodes: Sequence[int]
    rows: Sequence[Sample]

    def joined(self) -> OperationTrace:
        """Return the trace with the model's times; pricing may take a second of processor time."""
        operation, nodes, sweep = joined(self.told, self.clocks), self.ranks_of_nodes, self.spec.sweep
        schedule = executed_schedule(operation, nodes, sweep.root, sweep.topology, sweep.channels)
        if schedule is None:
            return operation
        rows = self.rows if sweep.channels is None else ()
        priced = priced_call(operation, schedule, nodes, rows, sweep.topology)
        return joined(self.told, self.clocks, schedule.chunks, priced)


async def operations(session: AsyncSession, attempt_id: int | None) -> list[TracedOperation]:
    """Return the traced operations; one that some rank has not reported yet has what is known."""
    query = (
        select(*_OPERATION, func.max(Trace.duration_ns).label("duration_ns"))
        .where(Trace.attempt_id == attempt_id)
        .group_by(*_OPERATION)
        .order_by(func.min(Trace.id))
    )
    return [TracedOperation.model_validate(row, from_attributes=True) for row in await session.execute(query)]


async def told(session: AsyncSession, job_id: int, attempt_id: int | None, wanted: TraceFilter) -> ToldTrace | None:
    """Return the requested operation of an attempt; the largest if several match. None if there is none."""
    query = select(Trace).where(Trace.attempt_id == attempt_id)
    for column, value in (
        (Trace.size_bytes, wanted.size_bytes),
        (Trace.algorithm, wanted.algorithm),
        (Trace.in_place, wanted.in_place),
    ):
        query = query if value is None else query.where(column == value)
    first = await session.scalar(query.order_by(Trace.size_bytes.desc(), Trace.id).limit(1))
    if first is None:
        return None
    same = (getattr(Trace, name) == getattr(first, name) for name in ("algorithm", "size_bytes", "in_place"))
    rows = await session.scalars(select(Trace).where(Trace.attempt_id == attempt_id, *same).order_by(Trace.rank))
    ranks = [record.Trace.model_validate(row, from_attributes=True) for row in rows]
    seats = await clocks.seats(session, attempt_id)
    members = select(Member.slots).where(Member.attempt_id == attempt_id).order_by(Member.first_rank)
    return ToldTrace(
        ranks,
        {rank.rank: clock_of(rank, seats) for rank in ranks},
        await read_spec(session, job_id),
        (await session.scalars(members)).all(),
        await _samples(session, attempt_id, ranks[0]),
    )


def clock_of(told: record.Trace, seats: dict[int, Seat]) -> Clock:
    """Return the clock of the node on which the rank ran."""
    if told.transport == SIMULATED:
        return Clock(SIMULATED)
    seat = seats.get(told.rank)
    if seat is None or seat.clock is None:
        return Clock(seat.node if seat else "", None, None)
    offset_ns = told.started_at_ns - seat.clock.server_time_ns(told.started_at_ns)
    return Clock(seat.node, offset_ns, round(seat.clock.error_us(told.started_at_ns) * 1e3))


async def _samples(session: AsyncSession, attempt_id: int | None, told: record.Trace) -> list[Sample]:
    """Return the attempt's rows of the same algorithm over the same transport, named as it was executed."""
    name = func.coalesce(Measurement.chosen_algorithm, Measurement.algorithm)
    # Columns only: objects for 100,000 rows would block the event loop for seconds.
    columns = Measurement.collective, name, Measurement.ranks, Measurement.size_bytes, Measurement.count
    query = select(*columns, Measurement.p50_us).where(
        Measurement.attempt_id == attempt_id,
        Measurement.transport == told.transport,
        name == (told.chosen_algorithm or told.algorithm),
    )
    return [Sample(*row) for row in await session.execute(query.order_by(Measurement.id))]
