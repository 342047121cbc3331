"""The queries of the insights' loop: attempts to watch, and for each only the new rows.

The cost of a look at an attempt is bounded. The database reads each new step once, by the index, and at most
MAX_STEP_ROWS are transferred: if there are more, every n-th step of every rank is taken. The new measurements are few,
the pulses are one row for each node, and of the traced operations the MAX_TRACE_ROWS with the largest messages are
read.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload

from ringscope.contracts import record
from ringscope_server.db.models import Attempt, Job, Measurement, Member, Step, Trace
from ringscope_server.insights.step_windows import Block, RankStep
from ringscope_server.results.baseline import SHAPE_COLUMNS, Row, Shape
from ringscope_server.results.clocks import Seat

MAX_STEP_ROWS = 4_000
MAX_TRACE_ROWS = 256  # rows of ranks in traced operations, each with up to a thousand transfers
MIN_TRACED_BYTES = 64 << 10  # smaller messages say more about the latency than about the link

_STEP_COLUMNS = (
    Step.rank, Step.step, Step.op, Step.algorithm, Step.in_place, Step.bytes,
    Step.started_at_ns, Step.duration_us, Step.compute_us, Step.input_us, Step.loss,
)  # fmt: skip


@dataclass
class Cursor:
    """The last rows of an attempt that have been judged."""

    step_id: int = 0
    measurement_id: int = 0
    trace_id: int = 0


async def attempts(session: AsyncSession, after: int, watched: Collection[int]) -> Sequence[Attempt]:
    """Return the running attempts, those after ``after`` and the watched ones, with job, members and nodes."""
    running = select(Attempt.id).join(Job).where(Job.state.in_(("running", "stopping")), Attempt.finished_at.is_(None))
    fresh = select(Attempt.id).where(Attempt.id > after)
    ids = {*watched, *await session.scalars(running), *await session.scalars(fresh)}
    query = select(Attempt).where(Attempt.id.in_(ids)).order_by(Attempt.id)
    options = joinedload(Attempt.job), selectinload(Attempt.members).joinedload(Member.node)
    return (await session.scalars(query.options(*options))).all() if ids else []


async def ends(session: AsyncSession, attempt_ids: Collection[int]) -> dict[int, Cursor]:
    """Return the last rows of each attempt, each with one index lookup: most attempts have no new ones."""
    if not attempt_ids:
        return {}
    step = select(func.max(Step.id)).where(Step.attempt_id == Attempt.id).scalar_subquery()
    measurement = select(func.max(Measurement.id)).where(Measurement.attempt_id == Attempt.id).scalar_subquery()
    trace = select(func.max(Trace.id)).where(Trace.attempt_id == Attempt.id).scalar_subquery()
    found = await session.execute(select(Attempt.id, step, measurement, trace).where(Attempt.id.in_(attempt_ids)))
    return {attempt_id: Cursor(*(last or 0 for last in ends)) for attempt_id, *ends in found}


async def newest_attempt(session: AsyncSession) -> int:
    """Return the id of the newest attempt; 0 if there is none."""
    return await session.scalar(select(func.max(Attempt.id))) or 0


async def steps(
    session: AsyncSession, attempt_id: int, after: int, last: int, seats: dict[int, Seat]
) -> list[tuple[Block, int, RankStep]]:
    """Return the steps of an attempt between two rows (without the first), or a sample of them, on the server's clock.

    Each step of a sample is read with the step before it, because the rank was outside of collectives from the end of
    that one.
    """
    new = (Step.attempt_id == attempt_id, Step.id > after, Step.id <= last)
    count = await session.scalar(select(func.count()).where(*new)) or 0
    every = 1 if count <= MAX_STEP_ROWS else max(3, -(-2 * count // MAX_STEP_ROWS))
    query = select(*_STEP_COLUMNS).where(*new, Step.step % every <= 1).order_by(Step.id).limit(2 * MAX_STEP_ROWS)
    block_of = cache(Block)
    ends: dict[int, tuple[int, int]] = {}  # for each rank: the step that was read last, and when it ended
    found: list[tuple[Block, int, RankStep]] = []
    # Without the ORM, which takes as long to construct a row as this loop takes.
    rows = await (await session.connection()).execute(query)
    for rank, number, op, algorithm, in_place, size_bytes, start_ns, duration_us, *parts in rows:
        if rank not in seats:
            continue
        before, before_ns = ends.get(rank, (-2, 0))
        ends[rank] = number, start_ns + round(duration_us * 1e3)
        if every > 1 and number % every != 1:
            continue
        outside_us = (start_ns - before_ns) / 1e3 if before == number - 1 else None
        compute_us, input_us, loss = parts
        step = RankStep(seats[rank].start(rank, start_ns), duration_us, compute_us, outside_us, input_us, loss)
        found.append((block_of(op, algorithm, in_place, size_bytes), number, step))
    return found


async def measurements(session: AsyncSession, attempt_id: int, after: int, last: int) -> list[Row]:
    """Return the rows of the sweep's table between two rows (without the first)."""
    new = (Measurement.attempt_id == attempt_id, Measurement.id > after, Measurement.id <= last)
    found = await session.execute(
        select(Measurement.busbw_gb_per_s, *SHAPE_COLUMNS).where(*new).order_by(Measurement.id)
    )
    return [Row(Shape(*shape), gb_per_s) for gb_per_s, *shape in found]


async def traces(session: AsyncSession, attempt_id: int, after: int, last: int) -> list[record.Trace]:
    """Return the reports on large traced operations between two rows (without the first), the largest first."""
    new = (Trace.attempt_id == attempt_id, Trace.id > after, Trace.id <= last, Trace.size_bytes >= MIN_TRACED_BYTES)
    query = select(Trace).where(*new).order_by(Trace.size_bytes.desc(), Trace.id).limit(MAX_TRACE_ROWS)
    return [record.Trace.model_validate(row, from_attributes=True) for row in await session.scalars(query)]
