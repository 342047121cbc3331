"""The times of earlier jobs, for a job whose ``auto`` chooses by them."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope.contracts.tuning import Table, arithmetic_of, table_of
from ringscope.contracts.words.collectives import AUTO
from ringscope_server.db.models import Measurement
from ringscope_server.results.comparable import comparable_attempts
from ringscope_server.results.rows import as_record

# A scheduling pass waits for this: the number of comparable jobs that are read.
MAX_READ = 10
GRADIENT_DTYPE = "float32"  # the dtype of parameters, whatever forward and backward compute with


async def table_of_gang(session: AsyncSession, spec: JobSpec, slots: Sequence[int]) -> Table | None:
    """Return the table by which a job's ``auto`` chooses for this gang; None if the job has no ``auto``."""
    return await known_times(session, spec, slots) if _chooses(spec) else None


def _chooses(spec: JobSpec) -> bool:
    """Return whether the job has our ``auto``, which chooses by measured times. A script or a search may have it."""
    if spec.script is not None or spec.strategy_search is not None:
        return True
    if spec.training is not None:
        return spec.training.uses_all_reduce and spec.training.all_reduce == AUTO
    return spec.benchmark is not None and AUTO in spec.benchmark.algorithms


async def known_times(session: AsyncSession, spec: JobSpec, slots: Sequence[int], before: int | None = None) -> Table:
    """Return the times of succeeded jobs with the same collective and kind of numbers, on nodes of the same shape.

    Only jobs in the default mode count, whatever ``spec`` asks for, because the model that uses the times knows no
    other. ``slots`` are the ranks on each node. For each size, the newest job that measured it counts; with ``before``,
    the id of an attempt, only earlier ones do.
    """
    wanted = arithmetic_of(spec.collective, spec.benchmark.dtype if spec.benchmark else GRADIENT_DTYPE)
    found = await comparable_attempts(session, spec.collective, spec.placement.ranks, slots)
    alike = [number for number in found if before is None or number < before]
    rows: defaultdict[int, list[Measurement]] = defaultdict(list)
    for row in await session.scalars(select(Measurement).where(Measurement.attempt_id.in_(alike[:MAX_READ]))):
        if arithmetic_of(row.collective, row.dtype) == wanted:
            rows[row.attempt_id].append(row)
    table = Table()
    for attempt_id in sorted(rows):
        table = table.updated(table_of(map(as_record, rows[attempt_id]), slots))
    return table
