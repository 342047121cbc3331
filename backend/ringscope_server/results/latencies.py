"""The durations of one row's iterations, as a curve over their share. The slowest rank of each iteration counts."""

from math import ceil, log10
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope_server.db.models import Step
from ringscope_server.results.clocks import seats
from ringscope_server.results.views import LatencyCurve, LatencyPoint

_PER_DECADE = 8  # points of the curve in each of 0-90 %, 90-99 %, 99-99.9 % …
_ALWAYS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0)


async def latencies(
    session: AsyncSession, attempt_id: int | None, spec: BenchmarkSpec, algorithm: str, size_bytes: int, in_place: bool
) -> LatencyCurve:
    """Return the curve of the iterations behind a row's percentiles, over all its cycles; it also works while the row
    runs.
    """
    ranks = len(await seats(session, attempt_id))
    slowest = (
        select(Step.step, (func.max(Step.duration_us) / spec.aggregate).label("time_us"))
        .where(Step.attempt_id == attempt_id, Step.algorithm == algorithm, Step.in_place == in_place)
        .where(Step.bytes == size_bytes * spec.aggregate)
        .group_by(Step.step)
        .having(func.count() == ranks)
    )
    count, points = await _points(session, _counted(slowest, spec), spec)
    return LatencyCurve(count=count, ranks=ranks, points=points)


async def _points(session: AsyncSession, counted: Any, spec: BenchmarkSpec) -> tuple[int, list[LatencyPoint]]:
    """Return the number of iterations and the curve.

    Sorting takes most of the time, and the chosen entries depend on the number of iterations: the query is repeated
    only if the number differs from the job's own, as while the row is measured.
    """
    times = counted.subquery()
    ordered = select(
        times.c.time_us,
        func.row_number().over(order_by=times.c.time_us).label("place"),
        func.count().over().label("total"),
    ).subquery()
    count = (spec.iterations - spec.skip_iterations) * spec.cycles
    while True:
        # If two shares mean the same iteration, the round one is returned.
        places = {place_of(share, count): share for share in sorted(shares(count), key=lambda share: share in _ALWAYS)}
        wanted = ordered.c.place.in_([1, *places])
        rows = (await session.execute(select(ordered).where(wanted).order_by(ordered.c.place))).all()
        found: int = rows[0].total if rows else 0
        if found == count:
            return count, [LatencyPoint(share=places[row.place], time_us=row.time_us) for row in rows]
        count = found


def place_of(share: float, count: int) -> int:
    """Return the entry (from 1) of ``count`` sorted ones that nccl-tests takes for a share: n/2 for one half, else
    ceil.
    """
    return count // 2 + 1 if share == 0.5 else max(1, ceil(round(count * share, 6)))


def shares(count: int) -> list[float]:
    """Return the shares of the curve: denser towards 1, and none beyond what this number of iterations can resolve."""
    if not count:
        return []
    decades = range(round(_PER_DECADE * log10(count)) + 1)
    found = {*_ALWAYS, *(round(1 - 10 ** -(step / _PER_DECADE), 7) for step in decades)}
    return sorted(share for share in found if share == 1 or round((1 - share) * count, 6) >= 1)


def _counted(slowest: Any, spec: BenchmarkSpec) -> Any:
    """Leave out the leading iterations of each block that the job excludes from its statistics."""
    if not spec.skip_iterations:
        return slowest
    steps = slowest.subquery()
    number = (func.row_number().over(order_by=steps.c.step) - 1).label("number")
    numbered = select(steps.c.step, steps.c.time_us, number).subquery()
    return select(numbered.c.step, numbered.c.time_us).where(
        numbered.c.number % spec.iterations >= spec.skip_iterations
    )
