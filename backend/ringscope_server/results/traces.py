"""Operations that a job followed transfer by transfer, put together from what its ranks told."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.choice.priced_call import executed_schedule, priced_call
from ringscope.contracts import record
from ringscope.contracts.devices import SIMULATED
from ringscope.contracts.job import JobSpec
from ringscope.contracts.operation_trace import OperationTrace, TracedOperation
from ringscope.cost.operation_trace import Clock, joined
from ringscope.cost.samples import Sample
from ringscope_server.db.models import Measurement, Member, Trace
from ringscope_server.db.specs import read_spec
from ringscope_server.results import clocks
from ringscope_server.results.clocks import Seat

# What an operation is known by; of each there is one row for each rank.
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
    """Every operation that was followed in one attempt, in the order in which they were told."""

    items: list[TracedOperation]


@dataclass(frozen=True)
class TraceFilter:
    """Which operation; None: any."""

    size_bytes: int | None = None
    algorithm: str | None = None
    in_place: bool | None = None


@dataclass(frozen=True)
class ToldTrace:
    """Everything that a trace is made from, read in one session."""

    told: Sequence[record.Trace]
    clocks: dict[int, Clock]
    spec: JobSpec
    ranks_of_nodes: Sequence[int]
    rows: Sequence[Sample]

    def joined(self) -> OperationTrace:
        """The trace beside the model's; pricing may take a second of processor time."""
        operation, nodes, sweep = joined(self.told, self.clocks), self.ranks_of_nodes, self.spec.sweep
        schedule = executed_schedule(operation, nodes, sweep.root, sweep.topology, sweep.channels)
        if schedule is None:
            return operation
        rows = self.rows if sweep.channels is None else ()
        priced = priced_call(operation, schedule, nodes, rows, sweep.topology)
        return joined(self.told, self.clocks, schedule.chunks, priced)


async def operations(session: AsyncSession, attempt_id: int | None) -> list[TracedOperation]:
    """What was followed; of one that a rank has not told yet, what is known."""
    query = (
        select(*_OPERATION, func.max(Trace.duration_ns).label("duration_ns"))
        .where(Trace.attempt_id == attempt_id)
        .group_by(*_OPERATION)
        .order_by(func.min(Trace.id))
    )
    return [TracedOperation.model_validate(row, from_attributes=True) for row in await session.execute(query)]


async def told(session: AsyncSession, job_id: int, attempt_id: int | None, wanted: TraceFilter) -> ToldTrace | None:
    """The operation of an attempt that is asked for; of several the one with the largest size. None: there is none."""
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
    """The clock of the node that the rank ran on."""
    if told.transport == SIMULATED:
        return Clock(SIMULATED)
    seat = seats.get(told.rank)
    if seat is None or seat.clock is None:
        return Clock(seat.node if seat else "", None, None)
    offset_ns = told.started_at_ns - seat.clock.server_time_ns(told.started_at_ns)
    return Clock(seat.node, offset_ns, round(seat.clock.error_us(told.started_at_ns) * 1e3))


async def _samples(session: AsyncSession, attempt_id: int | None, told: record.Trace) -> list[Sample]:
    """The attempt's rows of the same algorithm over the same transport, named as it was executed."""
    name = func.coalesce(Measurement.chosen_algorithm, Measurement.algorithm)
    # Columns alone: of 100,000 rows the objects would take seconds, in which nobody else is answered.
    columns = Measurement.collective, name, Measurement.ranks, Measurement.size_bytes, Measurement.count
    query = select(*columns, Measurement.p50_us).where(
        Measurement.attempt_id == attempt_id,
        Measurement.transport == told.transport,
        name == (told.chosen_algorithm or told.algorithm),
    )
    return [Sample(*row) for row in await session.execute(query.order_by(Measurement.id))]
