"""Benchmarks of the last day that are slower than the same ones of the day before."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import contains_eager, joinedload, selectinload

from ringscope.contracts.words.machine import shared_cores
from ringscope.judging.comparison import SweepComparison
from ringscope.judging.regressions import slower
from ringscope.judging.two_jobs import obstacles
from ringscope_server.db.models import Attempt, Job, Member
from ringscope_server.db.specs import spec_of, valid_spec

DAY = timedelta(hours=24)
MAX_RUNS = 200  # the newest runs of both days that are looked at
MAX_PAIRS = 20  # pairs whose stored comparisons are read


class Regression(BaseModel):
    """An algorithm that took clearly longer in a job of the last day than in the same job of the day before."""

    job_id: int
    base_job_id: int = Field(description="The job of the day before.")
    collective: str
    algorithm: str
    size_bytes: int = Field(description="The size nearest to 1 MiB that both measured, out of place.")
    nodes: list[str] = Field(description="The nodes that both ran on.")
    ratio: float = Field(description="The time divided by that of the day before.")
    ratio_low: float = Field(description="The lower end of the ratio's 95 % interval.")
    ratio_high: float = Field(description="The upper end of that interval.")


class Regressions(BaseModel):
    """The algorithms that became slower, the worst first."""

    pairs: int = Field(description="How many pairs of undisturbed runs on the same nodes were compared.")
    items: list[Regression]


class _Pair(NamedTuple):
    before: Attempt
    after: Attempt


async def regressions(session: AsyncSession, now: datetime) -> Regressions:
    """Compare the newest run of the last day with the newest one of the day before, on the same nodes."""
    pairs = _pairs(await _runs(session, now), now)
    ids = [attempt.id for pair in pairs for attempt in pair]
    rows = await session.execute(select(Attempt.id, Attempt.tally).where(Attempt.id.in_(ids)))
    tallies = {attempt_id: tally for attempt_id, tally in rows if tally is not None}
    return await asyncio.to_thread(_judged, pairs, tallies)


async def _runs(session: AsyncSession, now: datetime) -> Sequence[Attempt]:
    """Return the undisturbed attempts that made a benchmark succeed in the last two days, the newest first."""
    query = (
        select(Attempt)
        .join(Job)
        .where(
            Job.kind == "benchmark",
            Job.state == "succeeded",
            Job.finished_at > now - 2 * DAY,
            Attempt.reason == "completed",
            Attempt.disturbed_by.is_(None),
        )
        .order_by(Attempt.id.desc())
        .limit(MAX_RUNS)
        .options(contains_eager(Attempt.job), selectinload(Attempt.members).options(joinedload(Member.node)))
    )
    return (await session.scalars(query)).all()


def _pairs(runs: Sequence[Attempt], now: datetime) -> list[_Pair]:
    """Pair each newest run of the last day with the newest comparable one before it; a sweep is paired once."""
    measured = [run for run in runs if (spec := valid_spec(run.job)) is not None and not spec.is_simulated]
    today = [run for run in measured if _ended(run) > now - DAY]
    before = [run for run in measured if _ended(run) <= now - DAY]
    pairs: list[_Pair] = []
    for run in today:
        if any(_are_alike(pair.after, run) for pair in pairs):
            continue
        earlier = next((other for other in before if _are_alike(other, run)), None)
        if earlier is not None:
            pairs.append(_Pair(earlier, run))
    return pairs[:MAX_PAIRS]


def _ended(run: Attempt) -> datetime:
    assert run.job.finished_at is not None
    return run.job.finished_at


def _are_alike(one: Attempt, other: Attempt) -> bool:
    """Return whether both measured the same thing on the same nodes."""
    before, after = spec_of(one.job), spec_of(other.job)
    return _placed(one) == _placed(other) and before.env == after.env and not obstacles(before, after)


def _placed(run: Attempt) -> list[tuple[str, int]]:
    return sorted((member.node.name, member.slots) for member in run.members)


def _judged(pairs: Sequence[_Pair], tallies: dict[int, object]) -> Regressions:
    read = {key: SweepComparison.model_validate(tally) for key, tally in tallies.items()}
    compared = [
        pair for pair in pairs if pair.before.id in read and pair.after.id in read and _share_cores_alike(pair, read)
    ]
    found = slower([(read[pair.before.id], read[pair.after.id]) for pair in compared])
    return Regressions(
        pairs=len(compared),
        items=[
            Regression(
                job_id=compared[one.pair].after.job_id,
                base_job_id=compared[one.pair].before.job_id,
                collective=read[compared[one.pair].after.id].collective,
                algorithm=one.algorithm,
                size_bytes=one.size_bytes,
                nodes=[name for name, _ in _placed(compared[one.pair].after)],
                ratio=one.ratio.value,
                ratio_low=one.ratio.low or 0.0,
                ratio_high=one.ratio.high or 0.0,
            )
            for one in found
        ],
    )


def _share_cores_alike(pair: _Pair, read: dict[int, SweepComparison]) -> bool:
    before, after = read[pair.before.id], read[pair.after.id]
    return shared_cores(before.ranks, before.cores) == shared_cores(after.ranks, after.cores)
