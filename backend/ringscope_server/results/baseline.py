"""What a row of a sweep should reach: the bus bandwidth that earlier good runs of the same shape gave.

They measured in the same mode (``contracts.mode``).
"""

from collections.abc import Iterable, Sequence
from statistics import harmonic_mean, median
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.mode import mode_of
from ringscope_server.db.models import Attempt, Measurement
from ringscope_server.db.specs import spec_of
from ringscope_server.results.alike import alike_attempts

MIN_RUNS, MAX_RUNS = 3, 5  # of fewer the median says little
MAX_READ = 20  # runs: not every one has each size


class Shape(NamedTuple):
    """What two rows must have in common to be compared; their gangs also lay on nodes alike."""

    collective: str
    algorithm: str  # of auto the one that it chose
    transport: str
    in_place: bool
    size_bytes: int
    dtype: str
    op: str
    channels: int  # of rings and trees; earlier versions had one
    is_crowded: bool  # fewer cores than ranks; rows of earlier versions, which do not say, count as if they had enough


SHAPE_COLUMNS: Sequence[Any] = (
    Measurement.collective,
    func.coalesce(Measurement.chosen_algorithm, Measurement.algorithm),
    Measurement.transport,
    Measurement.in_place,
    Measurement.size_bytes,
    Measurement.dtype,
    Measurement.op,
    func.coalesce(Measurement.channels, 1),
    func.coalesce(Measurement.cores < Measurement.ranks, False),
)


class Row(NamedTuple):
    """A row of a sweep."""

    shape: Shape
    busbw_gb_per_s: float


class Expected(NamedTuple):
    """What good runs gave, in 1e9 bytes per second."""

    median_gb_per_s: float
    least_gb_per_s: float
    runs: int


Baseline = dict[Shape, Expected]


def baseline_of(runs: Iterable[Sequence[Row]]) -> Baseline:
    """By shape, from the rows of good runs, newest first; of several cycles the mean of their times counts."""
    values: dict[Shape, list[float]] = {}
    for rows in runs:
        cycles: dict[Shape, list[float]] = {}
        for row in rows:
            cycles.setdefault(row.shape, []).append(row.busbw_gb_per_s)
        for shape, found in cycles.items():
            if len(of_shape := values.setdefault(shape, [])) < MAX_RUNS:
                of_shape.append(harmonic_mean(found))  # as many bytes in each time
    return {
        shape: Expected(median(found), min(found), len(found))
        for shape, found in values.items()
        if len(found) >= MIN_RUNS
    }


async def baseline(session: AsyncSession, attempt: Attempt) -> Baseline:
    """For an attempt with its job and members loaded; nothing where no sweep is measured."""
    spec = spec_of(attempt.job)
    if spec.benchmark is None or spec.is_simulated:
        return {}
    slots = [member.slots for member in attempt.members]
    alike = await alike_attempts(session, spec.collective, attempt.job.ranks, slots, mode_of(spec.benchmark))
    runs: dict[int, list[Row]] = {number: [] for number in alike if number < attempt.id}
    query = select(Measurement.attempt_id, Measurement.busbw_gb_per_s, *SHAPE_COLUMNS).where(
        Measurement.attempt_id.in_(list(runs)[:MAX_READ]), Measurement.wrong.is_(None) | (Measurement.wrong == 0)
    )
    for number, gb_per_s, *shape in await session.execute(query):
        runs[number].append(Row(Shape(*shape), gb_per_s))
    return baseline_of(runs.values())
