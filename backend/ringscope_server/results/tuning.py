"""What earlier jobs measured, for a job whose ``auto`` is to choose by it."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ringscope.spec import JobSpec
from ringscope.tuning import Table, arithmetic_of, shape_of, table_of
from ringscope_server.db.models import Attempt, Job, Measurement
from ringscope_server.telemetry.ingest import as_record

# A poll waits for it: so many jobs are looked through for the same shape, and so many of those are read.
_MAX_JOBS = 200
_MAX_READ = 10


async def known_times(session: AsyncSession, spec: JobSpec, slots: Sequence[int]) -> Table:
    """Times of succeeded jobs with the same collective and kind of numbers, whose ranks lay on nodes alike.

    ``slots`` are the ranks on each node. Of each size the newest job counts that measured it.
    """
    benchmark, shape = spec.benchmark, shape_of(slots)
    newest_first = await session.scalars(
        select(Attempt)
        .join(Job)
        .where(
            Job.state == "succeeded",
            Job.spec["benchmark"]["collective"].as_string() == benchmark.collective,
            Job.spec["placement"]["ranks"].as_integer() == spec.placement.ranks,
        )
        .order_by(Attempt.id.desc())
        .limit(_MAX_JOBS)
        .options(selectinload(Attempt.members))
    )
    alike = [attempt.id for attempt in newest_first if shape_of([m.slots for m in attempt.members]) == shape]
    rows: defaultdict[int, list[Measurement]] = defaultdict(list)
    for row in await session.scalars(select(Measurement).where(Measurement.attempt_id.in_(alike[:_MAX_READ]))):
        if arithmetic_of(row.collective, row.dtype) == arithmetic_of(benchmark.collective, benchmark.dtype):
            rows[row.attempt_id].append(row)
    table = Table()
    for attempt_id in sorted(rows):
        table = table.updated(table_of(map(as_record, rows[attempt_id]), slots))
    return table
