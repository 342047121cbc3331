"""The comparison of benchmarks with a base job, by the rule of ``ringscope diff``."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ringscope.contracts.job import JobSpec
from ringscope.contracts.tuning import shape_of
from ringscope.contracts.words.job_states import TERMINAL
from ringscope.contracts.words.machine import shared_cores
from ringscope.judging.comparison import SweepComparison
from ringscope.judging.two_jobs import (
    FASTEST,
    Ran,
    Timed,
    disturbance,
    fastest,
    obstacles,
    other_variables,
    pair,
    sharing,
    standing,
    timed,
)
from ringscope_server.db import keyset
from ringscope_server.db.models import Attempt, Import, Job, Measurement
from ringscope_server.results.overlap_views import Interpolated, interpolated
from ringscope_server.results.queries import imported_rows

ROWS_AT_ONCE = 2_000
_COLUMNS = (
    Measurement.id, Measurement.collective, Measurement.algorithm, Measurement.transport, Measurement.in_place,
    Measurement.size_bytes, Measurement.count, Measurement.ranks, Measurement.cores, Measurement.iterations,
    Measurement.time_us, Measurement.time_low_us, Measurement.time_high_us, Measurement.busbw_gb_per_s,
    Measurement.cv_percent, Measurement.p5_us, Measurement.p50_us, Measurement.p95_us, Measurement.p99_us,
    Measurement.wrong, Measurement.rounds_us,
)  # fmt: skip


class Against(BaseModel):
    """The comparison of a row with the base job's row of the same algorithm, size and in-place flag."""

    ratio: float = Field(
        description="The time divided by the base job's time: the median over all pairs of their rounds; below 1 is "
        "faster. The ratio of both means if either row has no rounds."
    )
    ratio_low: float | None = Field(
        description="The lower end of the ratio's 95 % interval: what the same runs would give again, not another "
        "day's runs. null with fewer than 12 iterations, or if an earlier version measured the rows."
    )
    ratio_high: float | None = Field(description="The upper end of that interval.")
    is_clear: bool = Field(description="Whether the interval excludes 1.")
    noise: float = Field(
        description="The spread of the iterations divided by the base job's time: the root of the summed squares of "
        "both rows' standard deviations. It decides nothing."
    )
    is_beyond_noise: bool = Field(deprecated=True, description="The former name of is_clear.")


class ComparedRow(BaseModel):
    """One algorithm at one size, in place or not; the mean of several cycles."""

    algorithm: str = Field(description=f"{FASTEST}: the one whose median is the least.")
    size_bytes: int
    in_place: bool
    time_us: float = Field(description="The mean of the iterations, as on the job's own page.")
    median_us: float | None = Field(
        description="The median of the rounds, of which ratios are made and the fastest algorithm is chosen; null: the "
        "row has no rounds, and the mean is compared."
    )
    busbw_gb_per_s: float = Field(description="The bus bandwidth of the mean time.")
    p5_us: float | None = Field(
        description="The 5th percentile of the rounds, or of the iterations if the row has no rounds; null if an "
        "earlier version measured it."
    )
    p50_us: float = Field(description="The median iteration of the slowest rank; ``time_us`` is a mean.")
    p95_us: float
    is_unstable: bool = Field(description="Whether the iterations differ so much that their mean says little.")
    iterations: int = Field(description="The iterations of all cycles.")
    against: Against | None = Field(
        description="The comparison with the base job's row; null if the base job has no such row or is this job "
        "itself."
    )


class ComparedJob(BaseModel):
    """A job compared with the base job."""

    job_id: int
    obstacles: list[str] = Field(description="Why its rows do not measure the same thing as the base job's.")
    caveats: list[str] = Field(
        description="What disturbed it or the base job, and which of their environment variables differ; a difference "
        "may come from that."
    )
    rows: list[ComparedRow]
    interpolated: list[Interpolated] = Field(
        description="The comparison for each algorithm and placement that both measured, but at no common size."
    )


class Comparison(BaseModel):
    """Jobs in the requested order."""

    base: int
    jobs: list[ComparedJob]


class Standing(BaseModel):
    """A job compared with the base job in one figure."""

    job_id: int
    obstacles: list[str] = Field(description="Why the jobs cannot be compared.")
    algorithm: str | None = Field(description="The fastest algorithm that both measured; null if there is no such row.")
    size_bytes: int | None = Field(description="The size nearest to 1 MiB that both measured out of place.")
    ratio: float | None = Field(description="The time divided by the base job's time at that size; below 1 is faster.")
    ratio_low: float | None = Field(description="The lower end of the ratio's 95 % interval; null if it is not known.")
    ratio_high: float | None = Field(description="The upper end of that interval.")


class Standings(BaseModel):
    """Jobs in the requested order."""

    base: int
    jobs: list[Standing]


class _Run(NamedTuple):
    """The newest attempt of a job; None for a job that never started."""

    attempt: int | None
    shape: str
    disturbed_by: str | None


@dataclass(frozen=True)
class Measured:
    """The data of a comparison, read in one session."""

    base_id: int
    specs: Mapping[int, JobSpec]
    runs: Mapping[int, _Run]
    crowds: Mapping[int, str | None]
    timed: Mapping[int, Sequence[Timed]]
    failed: Collection[int]

    def compared(self) -> Comparison:
        """Compare the jobs with the base job; this takes a while for hundreds of thousands of rows."""
        base = self.timed[self.base_id]
        return Comparison(
            base=self.base_id,
            jobs=[
                ComparedJob(
                    job_id=job_id,
                    obstacles=[
                        *_named(self.failed, job_id, self.base_id),
                        *_obstacles(self.specs, self.runs, self.crowds, self.base_id, job_id),
                    ],
                    caveats=[
                        *_disturbance(self.runs, self.crowds, self.base_id, job_id),
                        *other_variables(self.specs[self.base_id].env, self.specs[job_id].env),
                    ],
                    rows=_compared(self.timed[job_id], () if job_id == self.base_id else base),
                    interpolated=[]
                    if job_id == self.base_id
                    else interpolated(self.base_id, base, job_id, self.timed[job_id]),
                )
                for job_id in self.specs
            ],
        )


async def measured(session: AsyncSession, jobs: Sequence[tuple[int, JobSpec]], base_id: int) -> Measured:
    """Read the newest attempts of benchmarks; ``base_id`` is one of them. Rows are summed up outside the event loop.

    A running attempt is shown with its rows so far. Rows with wrong elements are left out.
    """
    runs = await _newest(session, [job_id for job_id, _ in jobs])
    crowds: dict[int, str | None] = {}
    of_jobs: dict[int, list[Timed]] = {}
    for job_id, run in runs.items():
        rows = await (imported_rows(session, job_id) if run.attempt is None else _rows(session, run.attempt))
        crowds[job_id] = shared_cores(rows[0].ranks, rows[0].cores) if rows else None
        of_jobs[job_id] = await asyncio.to_thread(timed, rows)
    states = await _states(session, list(runs))
    failed = {job_id for job_id, state in states.items() if state in TERMINAL - {"succeeded"}}
    return Measured(base_id, dict(jobs), runs, crowds, of_jobs, failed)


async def standings(session: AsyncSession, jobs: Sequence[tuple[int, JobSpec]], base_id: int) -> Standings:
    """Return one figure for each job, from what is stored with the attempts: no row is read."""
    specs = dict(jobs)
    runs = await _newest(session, list(specs))
    found = await session.execute(
        select(Attempt.job_id, Attempt.tally).where(Attempt.id.in_([run.attempt for run in runs.values()]))
    )
    imported = await session.execute(select(Import.job_id, Import.tally).where(Import.job_id.in_(specs)))
    comparisons = {
        job_id: SweepComparison.model_validate(tally) for job_id, tally in (*found, *imported) if tally is not None
    }
    crowds = {job_id: shared_cores(comparison.ranks, comparison.cores) for job_id, comparison in comparisons.items()}
    states = await _states(session, list(specs))
    unfinished = {job_id for job_id, state in states.items() if state != "succeeded"}
    told = []
    for job_id in specs:
        obstacles_ = [
            *_named(unfinished, job_id, base_id),
            *_obstacles(specs, runs, crowds, base_id, job_id),
            *_disturbance(runs, crowds, base_id, job_id),
        ]
        figure = None
        if not obstacles_ and job_id != base_id and {job_id, base_id} <= comparisons.keys():
            figure = standing(comparisons[base_id], comparisons[job_id])
        told.append(
            Standing(
                job_id=job_id,
                obstacles=obstacles_,
                algorithm=figure and figure.algorithm,
                size_bytes=figure and figure.size_bytes,
                ratio=figure and figure.ratio.value,
                ratio_low=figure and figure.ratio.low,
                ratio_high=figure and figure.ratio.high,
            )
        )
    return Standings(base=base_id, jobs=told)


async def _states(session: AsyncSession, jobs: Sequence[int]) -> dict[int, str]:
    found = await session.execute(select(Job.id, Job.state).where(Job.id.in_(jobs)))
    return {row.id: row.state for row in found}


def _named(unfit: Collection[int], job_id: int, base_id: int) -> list[str]:
    return [f"Job {one} has not succeeded." for one in dict.fromkeys((job_id, base_id)) if one in unfit]


def _obstacles(
    specs: Mapping[int, JobSpec],
    runs: Mapping[int, _Run],
    crowds: Mapping[int, str | None],
    base_id: int,
    job_id: int,
) -> list[str]:
    """Return why a job does not measure the same thing as the base job."""
    if job_id == base_id:
        return []
    ran = _ran(runs, crowds, base_id, job_id)
    return [
        *obstacles(specs[base_id], specs[job_id]),
        *_other_nodes(specs[base_id], specs[job_id], runs[base_id].shape, runs[job_id].shape),
        *(sharing(*ran) if ran else []),
    ]


def _disturbance(runs: Mapping[int, _Run], crowds: Mapping[int, str | None], base_id: int, job_id: int) -> list[str]:
    """Return what disturbed a job or the base job."""
    ran = _ran(runs, crowds, base_id, job_id) if job_id != base_id else None
    return disturbance(*ran) if ran else []


def _ran(
    runs: Mapping[int, _Run], crowds: Mapping[int, str | None], base_id: int, job_id: int
) -> tuple[Ran, Ran] | None:
    """Return how the base job and another one ran; None if either has no row, which says nothing about that."""
    base_crowd, crowd = crowds.get(base_id), crowds.get(job_id)
    if base_crowd is None or crowd is None:
        return None
    return Ran(base_crowd, runs[base_id].disturbed_by), Ran(crowd, runs[job_id].disturbed_by)


def _compared(run: Sequence[Timed], base: Sequence[Timed]) -> list[ComparedRow]:
    of_base = {_place(one): one for one in (*base, *fastest(base))}
    return [_view(one, of_base.get(_place(one))) for one in (*run, *fastest(run))]


def _place(one: Timed) -> tuple[str, int, bool]:
    return one.algorithm, one.size_bytes, one.in_place


def _view(one: Timed, base: Timed | None) -> ComparedRow:
    return ComparedRow(
        algorithm=one.algorithm,
        size_bytes=one.size_bytes,
        in_place=one.in_place,
        time_us=one.time_us,
        median_us=one.point.median_us,
        busbw_gb_per_s=one.point.busbw_gb_per_s,
        p5_us=one.p5_us,
        p50_us=one.p50_us,
        p95_us=one.p95_us,
        is_unstable=one.point.is_unstable,
        iterations=one.point.iterations,
        against=base and _against(base, one),
    )


def _against(base: Timed, one: Timed) -> Against:
    ratio, noise = pair(base, one)
    return Against(
        ratio=ratio.value,
        ratio_low=ratio.low,
        ratio_high=ratio.high,
        is_clear=ratio.is_clear,
        noise=noise,
        is_beyond_noise=ratio.is_clear,
    )


def _other_nodes(base: JobSpec, other: JobSpec, base_shape: str, shape: str) -> list[str]:
    """Return how the distributions of as many ranks over their nodes differ."""
    if other.is_simulated or base.ranks != other.ranks or not base_shape or not shape or base_shape == shape:
        return []
    return [f"The ranks lay on their nodes as {shape} (nodes x ranks), and as {base_shape} in the base job."]


async def _newest(session: AsyncSession, jobs: Sequence[int]) -> dict[int, _Run]:
    """Return the newest attempt of each job, by job and in their order."""
    newest = select(func.max(Attempt.id)).where(Attempt.job_id.in_(jobs)).group_by(Attempt.job_id)
    attempts = await session.scalars(
        select(Attempt).where(Attempt.id.in_(newest)).options(selectinload(Attempt.members))
    )
    found = {
        attempt.job_id: _Run(attempt.id, shape_of([member.slots for member in attempt.members]), attempt.disturbed_by)
        for attempt in attempts
    }
    return {job_id: found.get(job_id, _Run(None, "", None)) for job_id in jobs}


async def _rows(session: AsyncSession, attempt_id: int) -> list[Any]:
    """Read an attempt's rows with what is compared (``comparison.Row``), in parts, so that the event loop runs between
    them.
    """
    query = select(*_COLUMNS).where(Measurement.attempt_id == attempt_id)
    rows: list[Any] = []
    while True:
        part = (
            await session.execute(keyset.after(query, Measurement, ROWS_AT_ONCE, rows[-1].id if rows else None))
        ).all()
        rows += part
        if len(part) < ROWS_AT_ONCE:
            return rows
