"""What a row of a sweep should reach: the bus bandwidth that earlier good runs of the same shape gave.

They measured in the same mode (``contracts.mode``). Runs that something else disturbed count where there are fewer than
three others of a row, if all runs agree with one another: with half the weight, and the baseline is marked. So a busy
cluster has a baseline, too.
"""

from collections.abc import Sequence
from statistics import harmonic_mean, median
from typing import Any, Literal, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.mode import mode_of
from ringscope_server.db.models import Attempt, Measurement
from ringscope_server.db.specs import spec_of
from ringscope_server.results.alike import alike_runs

MIN_RUNS, MAX_RUNS = 3, 5  # of fewer the median says little
MAX_READ = 20  # undisturbed runs, and as many disturbed ones: not every one has each size
MAX_SPREAD = 1.5  # the best of runs that agree beside the worst, where disturbed ones are among them


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
    """What good runs gave, in 1e9 bytes per second; ``is_disturbed``: something else disturbed some of them."""

    median_gb_per_s: float
    least_gb_per_s: float
    runs: int
    is_disturbed: bool = False


Baseline = dict[Shape, Expected]


class Run(NamedTuple):
    """The rows of a good run."""

    rows: Sequence[Row]
    is_disturbed: bool = False


class History(NamedTuple):
    """What earlier runs say of the rows of a job, and of which rows they say nothing.

    Args:
        runs: so many were alike, of which ``disturbed`` were disturbed.
        too_few: rows that fewer than three runs measured.
        disagreeing: rows of which the disturbed runs disagree.
    """

    expected: Baseline
    runs: int
    disturbed: int
    too_few: int
    disagreeing: int


def history_of(runs: Sequence[Run]) -> History:
    """From the rows of good runs, newest first; of several cycles the mean of their times counts."""
    values: dict[Shape, tuple[list[float], list[float]]] = {}
    for run in runs:
        cycles: dict[Shape, list[float]] = {}
        for row in run.rows:
            cycles.setdefault(row.shape, []).append(row.busbw_gb_per_s)
        for shape, found in cycles.items():
            of_shape = values.setdefault(shape, ([], []))[run.is_disturbed]
            if len(of_shape) < MAX_RUNS:
                of_shape.append(harmonic_mean(found))  # as many bytes in each time
    judged = {shape: _expected(*of_shape) for shape, of_shape in values.items()}
    return History(
        {shape: found for shape, found in judged.items() if isinstance(found, Expected)},
        len(runs),
        sum(run.is_disturbed for run in runs),
        sum(found == "too few" for found in judged.values()),
        sum(found == "disagree" for found in judged.values()),
    )


def _expected(quiet: list[float], disturbed: list[float]) -> Expected | Literal["too few", "disagree"]:
    if len(quiet) >= MIN_RUNS:
        return Expected(median(quiet), min(quiet), len(quiet))
    every = quiet + disturbed[: MAX_RUNS - len(quiet)]
    if len(every) < MIN_RUNS:
        return "too few"
    if max(every) > MAX_SPREAD * min(every):
        return "disagree"
    return Expected(median([*every, *quiet]), min(every), len(every), is_disturbed=True)


async def history(session: AsyncSession, attempt: Attempt) -> History:
    """For an attempt with its job and members loaded; nothing where no sweep is measured."""
    spec = spec_of(attempt.job)
    if spec.benchmark is None or spec.is_simulated:
        return History({}, 0, 0, 0, 0)
    slots = [member.slots for member in attempt.members]
    alike = await alike_runs(session, spec.collective, attempt.job.ranks, slots, mode_of(spec.benchmark))
    before = [run for run in alike if run.attempt_id < attempt.id]
    quiet, disturbed = ([run for run in before if run.is_disturbed == which][:MAX_READ] for which in (False, True))
    read = quiet + disturbed
    rows: dict[int, list[Row]] = {run.attempt_id: [] for run in read}
    query = select(Measurement.attempt_id, Measurement.busbw_gb_per_s, *SHAPE_COLUMNS).where(
        Measurement.attempt_id.in_(list(rows)), Measurement.wrong.is_(None) | (Measurement.wrong == 0)
    )
    for number, gb_per_s, *shape in await session.execute(query):
        rows[number].append(Row(Shape(*shape), gb_per_s))
    return history_of([Run(rows[run.attempt_id], run.is_disturbed) for run in read])


async def baseline(session: AsyncSession, attempt: Attempt) -> Baseline:
    """What ``history`` expects of the rows."""
    return (await history(session, attempt)).expected
