"""The times of earlier jobs, for a job whose ``auto`` chooses by them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope.contracts.search.record import MeasuredSum
from ringscope.contracts.tuning import Table, arithmetic_of, table_of, table_of_sums
from ringscope.contracts.words.collectives import AUTO
from ringscope_server.db.models import Measurement, SearchRecord
from ringscope_server.results.comparable import comparable_attempts, comparable_searches
from ringscope_server.results.rows import as_record

# A scheduling pass waits for this: the number of comparable benchmarks, and of searches, that are read.
MAX_READ = 10
_SUMS = TypeAdapter(list[MeasuredSum])
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

    Benchmarks measured them, and strategy searches, which time the sums of their candidates' steps.
    Only jobs in the default mode count, whatever ``spec`` asks for, because the model that uses the times knows no
    other. ``slots`` are the ranks on each node. For each size, the newest job that measured it counts; with ``before``,
    the id of an attempt, only earlier ones do.
    """
    wanted = arithmetic_of(spec.collective, spec.benchmark.dtype if spec.benchmark else GRADIENT_DTYPE)

    def newest(attempts: Sequence[int]) -> list[int]:
        return [number for number in attempts if before is None or number < before][:MAX_READ]

    alike = newest(await comparable_attempts(session, spec.collective, spec.placement.ranks, slots))
    rows: defaultdict[int, list[Measurement]] = defaultdict(list)
    for row in await session.scalars(select(Measurement).where(Measurement.attempt_id.in_(alike))):
        if arithmetic_of(row.collective, row.dtype) == wanted:
            rows[row.attempt_id].append(row)
    sums: Mapping[int, list[list[MeasuredSum]]] = {}
    if spec.collective == "all_reduce" and wanted == arithmetic_of("all_reduce", GRADIENT_DTYPE):
        sums = await _sums(session, newest(await comparable_searches(session, spec.placement.ranks, slots)))
    table = Table()
    for attempt_id in sorted(rows.keys() | sums.keys()):
        table = table.updated(table_of(map(as_record, rows.get(attempt_id, [])), slots))
        table = table.updated(table_of_sums(sums.get(attempt_id, []), GRADIENT_DTYPE, slots))
    return table


async def _sums(session: AsyncSession, attempts: Sequence[int]) -> Mapping[int, list[list[MeasuredSum]]]:
    """Return the sums of the runs of strategy searches, by attempt."""
    found: defaultdict[int, list[list[MeasuredSum]]] = defaultdict(list)
    query = select(SearchRecord.attempt_id, SearchRecord.told).where(SearchRecord.attempt_id.in_(attempts))
    for attempt_id, told in await session.execute(query):
        if sums := told.get("sums"):
            found[attempt_id].append(_SUMS.validate_python(sums))
    return found
