"""The baseline of a row of a sweep: the bus bandwidth of earlier good runs of the same shape.

The runs measured in the same mode (``contracts.mode``). Disturbed runs count if a row has fewer than three others and
all its runs agree: with half the weight, and the baseline is marked. So a busy cluster has a baseline, too.
"""

from collections.abc import Mapping, Sequence
from statistics import harmonic_mean, median
from typing import Any, Literal, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.judging.mode import mode_of
from ringscope_server.db.models import Attempt, Measurement
from ringscope_server.db.specs import spec_of
from ringscope_server.results.comparable import comparable_runs

MIN_RUNS, MAX_RUNS = 3, 5  # with fewer runs the median means little
MAX_READ = 20  # undisturbed runs, and as many disturbed ones, because not every run has each size
MAX_SPREAD = 1.5  # the largest ratio of the best run to the worst, if disturbed runs are among them


class Shape(NamedTuple):
    """The fields that two rows must have in common to be compared; their gangs also had the same shape."""

    collective: str
    algorithm: str  # for auto, the algorithm that it chose
    transport: str
    in_place: bool
    size_bytes: int
    dtype: str
    op: str
    channels: int  # the channels of rings and trees; earlier versions had one
    is_crowded: bool  # fewer cores than ranks; rows of earlier versions, which lack it, count as having enough


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
    """The bandwidth of good runs in 1e9 bytes per second; ``is_disturbed`` if something disturbed some of them."""

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
    """The result of earlier runs for the rows of a job.

    Args:
        runs: the number of comparable runs, of which ``disturbed`` were disturbed.
        runs_of: how many of them measured each row, five undisturbed and five disturbed ones at most.
        disagreeing: the number of rows for which the disturbed runs disagree.
    """

    expected: Baseline
    runs: int
    disturbed: int
    runs_of: Mapping[Shape, int]
    disagreeing: int


def history_of(runs: Sequence[Run]) -> History:
    """Build the history from the rows of good runs, newest first; several cycles count as the mean of their times."""
    values: dict[Shape, tuple[list[float], list[float]]] = {}
    for run in runs:
        cycles: dict[Shape, list[float]] = {}
        for row in run.rows:
            cycles.setdefault(row.shape, []).append(row.busbw_gb_per_s)
        for shape, found in cycles.items():
            of_shape = values.setdefault(shape, ([], []))[run.is_disturbed]
            if len(of_shape) < MAX_RUNS:
                of_shape.append(harmonic_mean(found))  # each time moved the same number of bytes
    judged = {shape: _expected(*of_shape) for shape, of_shape in values.items()}
    return History(
        {shape: found for shape, found in judged.items() if isinstance(found, Expected)},
        len(runs),
        sum(run.is_disturbed for run in runs),
        {shape: len(quiet) + len(disturbed) for shape, (quiet, disturbed) in values.items()},
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
    """Return the history of an attempt with its job and members loaded; empty if no sweep is measured."""
    spec = spec_of(attempt.job)
    if spec.benchmark is None or spec.is_simulated:
        return History({}, 0, 0, {}, 0)
    slots = [member.slots for member in attempt.members]
    mode = mode_of(spec.benchmark, spec.env)
    alike = await comparable_runs(session, spec.collective, attempt.job.ranks, slots, mode)
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
    """Return the values that ``history`` expects of the rows."""
    return (await history(session, attempt)).expected
