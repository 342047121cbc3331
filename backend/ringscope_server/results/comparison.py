"""Benchmarks beside a baseline, by the rule of ``ringscope diff``."""

from collections.abc import Sequence

from pydantic import BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.comparison import FASTEST, Timed, fastest, obstacles, pair, timed
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Measurement as Row
from ringscope.contracts.tuning import shape_of
from ringscope_server.db.models import Attempt, Measurement, Member
from ringscope_server.results.rows import as_record


class Against(BaseModel):
    """A row beside the baseline's of the same algorithm, size and place."""

    ratio: float = Field(description="Time over the baseline's time: below 1 it is faster.")
    noise: float = Field(
        description="How far iterations differ among themselves, over the baseline's time: the root of the squared sum "
        "of both rows' standard deviations."
    )
    is_beyond_noise: bool = Field(description="The times differ by more than that.")


class ComparedRow(BaseModel):
    """One algorithm at one size and place; of several cycles their mean."""

    algorithm: str = Field(description=f"{FASTEST}: the one that took the least time.")
    size_bytes: int
    in_place: bool
    time_us: float
    busbw_gb_per_s: float
    iterations: int = Field(description="Of all cycles.")
    against: Against | None = Field(description="null: the baseline has no such row, or is this job itself.")


class ComparedJob(BaseModel):
    """A job beside the baseline."""

    job_id: int
    obstacles: list[str] = Field(description="Why its rows do not measure the same thing as the baseline's.")
    rows: list[ComparedRow]


class Comparison(BaseModel):
    """Jobs in the order asked for."""

    base: int
    jobs: list[ComparedJob]


async def comparison(session: AsyncSession, jobs: Sequence[tuple[int, JobSpec]], base_id: int) -> Comparison:
    """The newest attempts of benchmarks; ``base_id`` is one of them."""
    attempts = {job_id: await _newest_attempt(session, job_id) for job_id, _ in jobs}
    rows = {job_id: await _rows(session, attempt) for job_id, attempt in attempts.items()}
    shapes = {job_id: await _shape(session, attempt) for job_id, attempt in attempts.items()}
    specs = dict(jobs)
    return Comparison(
        base=base_id,
        jobs=[
            ComparedJob(
                job_id=job_id,
                obstacles=[
                    *obstacles(specs[base_id], specs[job_id]),
                    *_other_nodes(specs[base_id], specs[job_id], shapes[base_id], shapes[job_id]),
                ],
                rows=_compared(rows[job_id], None if job_id == base_id else rows[base_id]),
            )
            for job_id in specs
        ],
    )


def _compared(rows: Sequence[Row], base: Sequence[Row] | None) -> list[ComparedRow]:
    of_base = {_place(one): one for one in _with_fastest(base or ())}
    return [_view(one, of_base.get(_place(one))) for one in _with_fastest(rows)]


def _with_fastest(rows: Sequence[Row]) -> list[Timed]:
    of_algorithms = timed(rows)
    return [*of_algorithms, *fastest(of_algorithms)]


def _place(one: Timed) -> tuple[str, int, bool]:
    return one.algorithm, one.size_bytes, one.in_place


def _view(one: Timed, base: Timed | None) -> ComparedRow:
    return ComparedRow(
        algorithm=one.algorithm,
        size_bytes=one.size_bytes,
        in_place=one.in_place,
        time_us=one.time_us,
        busbw_gb_per_s=one.busbw_gb_per_s,
        iterations=one.iterations,
        against=base and _against(base, one),
    )


def _against(base: Timed, one: Timed) -> Against:
    both = pair(base, one)
    return Against(ratio=both.ratio, noise=both.noise_us / both.a_us, is_beyond_noise=both.is_beyond_noise)


def _other_nodes(base: JobSpec, other: JobSpec, base_shape: str, shape: str) -> list[str]:
    """Where as many ranks lay on their nodes otherwise."""
    if other.is_simulated or base.ranks != other.ranks or not base_shape or not shape or base_shape == shape:
        return []
    return [f"The ranks lay on their nodes as {shape} (nodes x ranks), and as {base_shape} in the baseline."]


async def _newest_attempt(session: AsyncSession, job_id: int) -> int | None:
    return await session.scalar(select(func.max(Attempt.id)).where(Attempt.job_id == job_id))


async def _rows(session: AsyncSession, attempt_id: int | None) -> list[Row]:
    query = select(Measurement).where(Measurement.attempt_id == attempt_id).order_by(Measurement.id)
    return [as_record(row) for row in await session.scalars(query)]


async def _shape(session: AsyncSession, attempt_id: int | None) -> str:
    slots = (await session.scalars(select(Member.slots).where(Member.attempt_id == attempt_id))).all()
    return shape_of(slots) if slots else ""
