"""The checks of a job, read from its tables."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload

from ringscope_server.db.models import Attempt, Measurement, Trace
from ringscope_server.db.specs import valid_spec
from ringscope_server.insights.checks import Facts, checks
from ringscope_server.insights.rows import MIN_TRACED_BYTES
from ringscope_server.insights.views import Check
from ringscope_server.results import clocks
from ringscope_server.results.baseline import SHAPE_COLUMNS, Shape, history


async def checked(session: AsyncSession, job_id: int) -> list[Check]:
    """Return the checks of the job's newest attempt that began to run; empty for a job that never ran."""
    query = select(Attempt).where(Attempt.job_id == job_id, Attempt.started_at.is_not(None)).order_by(Attempt.id.desc())
    options = joinedload(Attempt.job), selectinload(Attempt.members)
    attempt = await session.scalar(query.limit(1).options(*options))
    spec = None if attempt is None else valid_spec(attempt.job)
    if attempt is None or spec is None:
        return []
    found = await history(session, attempt)
    seats = await clocks.seats(session, attempt.id)
    shapes = [
        Shape(*row) for row in await session.execute(select(*SHAPE_COLUMNS).where(Measurement.attempt_id == attempt.id))
    ]
    followed = select(Trace.algorithm, Trace.size_bytes, Trace.in_place).where(
        Trace.attempt_id == attempt.id, Trace.size_bytes >= MIN_TRACED_BYTES
    )
    nodes = len({seat.node for seat in seats.values()})
    operations = await session.scalar(select(func.count()).select_from(followed.distinct().subquery())) or 0
    return checks(
        Facts(
            spec=spec,
            nodes=nodes,
            followed=operations if nodes > 1 else 0,
            are_clocks_known=all(seat.clock is not None for seat in seats.values()),
            rows=len(shapes),
            expected_rows=sum(shape in found.expected for shape in shapes),
            history=found,
        )
    )
