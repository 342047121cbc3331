"""A training job's steps over all attempts, as a curve of few points."""

from collections.abc import Sequence
from operator import add
from typing import Any, NamedTuple

from sqlalchemy import Double, case, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Attempt, Job, RankTotals, Step
from ringscope_server.training.epochs import spaced_epochs
from ringscope_server.training.views import CurvePart, CurvePoint, TrainingCurve

MAX_JOBS = 20


class Part(NamedTuple):
    """The steps of an attempt that count, the last one included."""

    attempt_id: int
    job_id: int
    attempt: int  # the attempt's number in the job
    first_step: int
    last_step: int


def joined(told: Sequence[Part]) -> list[Part]:
    """Join attempts, oldest first; each ends where a later one begins, because that continued from a
    checkpoint. Pure.
    """
    kept: list[Part] = []
    for part in reversed(told):
        limit = kept[0].first_step - 1 if kept else part.last_step
        if part.first_step <= min(limit, part.last_step):
            kept.insert(0, part._replace(last_step=min(limit, part.last_step)))
    return kept


async def curve(session: AsyncSession, job_id: int, points: int) -> TrainingCurve:
    """Return at most ``points`` of steps and of epochs; the steps also from the jobs whose checkpoints it continued
    from.
    """
    parts = joined(await _told(session, await _line(session, job_id)))
    if not parts:
        return TrainingCurve(points=[], steps_per_point=1, attempts=[], epochs=[])
    first, last = parts[0].first_step, parts[-1].last_step
    width = -(-(last - first + 1) // points)
    sums: dict[int, _Sums] = {}
    for part in parts:
        for number, *values in await session.execute(_binned(part, first, width)):
            of_part = _Sums(*(value or 0.0 for value in values))
            sums[number] = _joined(sums[number], of_part) if number in sums else of_part
    return TrainingCurve(
        points=[
            _point(first + number * width, min(first + (number + 1) * width - 1, last), sums[number])
            for number in sorted(sums)
        ],
        steps_per_point=width,
        attempts=[CurvePart.model_validate(part, from_attributes=True) for part in parts],
        epochs=await spaced_epochs(session, job_id, points),
    )


async def _line(session: AsyncSession, job_id: int) -> list[int]:
    """Return the job, the job whose checkpoint it began from, and so on."""
    jobs = [job_id]
    while len(jobs) < MAX_JOBS:
        stored = await session.scalar(select(Job.spec).where(Job.id == jobs[-1]))
        before = ((stored or {}).get("training") or {}).get("resume_from")
        if before is None or before >= jobs[-1]:  # not an earlier job, so it found no checkpoint
            break
        jobs.append(before)
    return jobs


async def _told(session: AsyncSession, jobs: Sequence[int]) -> list[Part]:
    first, last = func.min(RankTotals.first_step), func.max(RankTotals.last_step)
    query = (
        select(Attempt.id, Attempt.job_id, Attempt.number, first, last)
        .join(RankTotals, RankTotals.attempt_id == Attempt.id)
        .where(Attempt.job_id.in_(jobs))
        .group_by(Attempt.id, Attempt.job_id, Attempt.number)
        .order_by(Attempt.job_id, Attempt.number)
    )
    return [Part(*row) for row in await session.execute(query)]


class _Sums(NamedTuple):
    """Sums over the steps of a point, of all ranks."""

    rows: float
    weight: float  # samples of the steps with a loss
    loss: float  # times samples
    samples: float
    elapsed_us: float  # time of the mean rank
    duration_us: float
    compute_us: float
    communication_us: float
    exposed_us: float
    input_us: float
    input_rows: float  # steps with an input time
    memory_bytes: float  # not a sum: the largest; 0 if none was measured


def _joined(a: _Sums, b: _Sums) -> _Sums:
    return _Sums(*map(add, a, b))._replace(memory_bytes=max(a.memory_bytes, b.memory_bytes))


def _binned(part: Part, first: int, width: int) -> Any:
    """Select the number of each point, and its sums."""
    number = ((Step.step - first) // width).label("point")
    samples = cast(func.coalesce(Step.samples, 1), Double)
    columns = (Step.duration_us, Step.compute_us, Step.communication_us, Step.exposed_us, Step.input_us)
    return (
        select(
            number,
            func.count(),
            func.sum(case((Step.loss.is_not(None), samples), else_=0.0)),
            func.sum(Step.loss * samples),
            cast(func.sum(Step.samples), Double),
            func.sum(Step.duration_us) / func.count(Step.rank.distinct()),
            *map(func.sum, columns),
            func.count(Step.input_us),
            func.max(Step.memory_bytes),
        )
        .where(Step.attempt_id == part.attempt_id, Step.step.between(part.first_step, part.last_step))
        .group_by("point")
    )


def _point(first_step: int, last_step: int, sums: _Sums) -> CurvePoint:
    return CurvePoint(
        first_step=first_step,
        last_step=last_step,
        loss=sums.loss / sums.weight if sums.weight else None,
        samples_per_second=sums.samples / sums.elapsed_us * 1e6 if sums.samples and sums.elapsed_us else None,
        duration_us=sums.duration_us / sums.rows,
        compute_us=sums.compute_us / sums.rows,
        communication_us=sums.communication_us / sums.rows,
        exposed_us=sums.exposed_us / sums.rows,
        input_us=sums.input_us / sums.input_rows if sums.input_rows else None,
        memory_bytes=int(sums.memory_bytes) or None,
    )
